#include <array>
#include <type_traits>
#include <utility>

#include "options/bounds.hpp"
#include "options/option_row.hpp"
#include "options/values.hpp"

namespace weir::options {
namespace {

constexpr std::string_view fits[] = {"center", "random", "stretch", "letterbox", "patch"},
                           aligns[] = {"center", "top_left"},
                           formats[] = {"rgb8",   "bgr8",  "rgba8",   "grey8",
                                        "grey16", "rgb16", "stored8", "stored16"},
                           filters[] = {"automatic", "bilinear", "antialiased", "nearest"},
                           matches[] = {"ratio", "stretch"}, decodes[] = {"exact", "fast", "none"},
                           exifs[] = {"apply", "ignore"},
                           caches[] = {"nothing", "encoded", "decoded"},
                           policies[] = {"stop", "skip", "blank"}, tunings[] = {"off", "automatic"},
                           size_modes[] = {"fixed", "padded", "ragged"},
                           inputs[] = {"decoded", "fitted"}, picks[] = {"any", "same_label", "own"};
constexpr std::uint64_t mib = 1ull << 20, most_u32 = UINT32_MAX;

/// A row, with the functions for the type of its member.
template <class Struct, class Get>
constexpr RowOf<Struct> row_of(std::string_view name, Get, std::string_view option, Part part,
                               Affects affects, Need need, std::string_view meaning,
                               const Values& values = {}) {
  RowOf<Struct> row{{values, name, option, part, affects, need, meaning}};
  using T = std::remove_cvref_t<decltype(Get{}(std::declval<Struct&>()))>;
  using Type = typename Present<T>::Type;
  row.form = form_of_type<Type>();
  if (row.bytes && !std::is_same_v<Type, ByteBound>) row.form = "BYTES";
  if (Present<T>::optional && row.absent.empty()) row.absent = "none";
  row.text = [](const Spec& s, const Struct& all) { return value_text(s, Get{}(all)); };
  if constexpr (requires(Struct & all) { read_value(Spec{}, std::string_view(), Get{}(all)); }) {
    row.read = [](const Spec& s, std::string_view text, Struct& all) {
      read_value(s, text, Get{}(all));
      if (const auto bound = bound_of(s, Get{}(all)); !bound.empty()) refuse_text(bound);
    };
    row.bound = [](const Spec& s, const Struct& all) { return bound_of(s, Get{}(all)); };
  } else {
    row.is_text = false;
    row.read = [](const Spec&, std::string_view, Struct&) {
      refuse_text("is an object of C++; a text cannot give it");
    };
    row.bound = [](const Spec&, const Struct&) { return std::string(); };
  }
  return row;
}
// The name of a member, and how it is reached.
#define WEIR_MEMBER(member) \
#member, [](auto& all) -> auto& { return all.member; }

constexpr auto table = std::to_array<Row>({
    row_of<Options>(WEIR_MEMBER(shape), "--size", Part::window, Affects::pixels, Need::nothing,
                    "Height and width of every image.", {.least = 1, .most = most_side}),
    row_of<Options>(WEIR_MEMBER(fit), "--fit", Part::window, Affects::pixels, Need::fixed,
                    "How an image becomes that size.", {.enumerators = fits}),
    row_of<Options>(
        WEIR_MEMBER(short_side), "--short-side", Part::window, Affects::pixels, Need::center,
        "fit center: the shorter side before the crop. 0: 256/224 of the larger side of the size.",
        {.most = most_side}),
    row_of<Options>(
        WEIR_MEMBER(flip.horizontal), "--flip-horizontal", Part::window, Affects::pixels,
        Need::decoded,
        "How often left and right are exchanged. By default 0.5 with fit random, else 0.",
        {.absent = "default"}),
    row_of<Options>(WEIR_MEMBER(flip.vertical), "--flip-vertical", Part::window, Affects::pixels,
                    Need::decoded, "How often top and bottom are exchanged."),
    row_of<Options>(WEIR_MEMBER(random.area), "--random-area", Part::window, Affects::pixels,
                    Need::random, "fit random: least and most share of the image's area.",
                    {.most = 1}),
    row_of<Options>(WEIR_MEMBER(random.aspect), "--random-aspect", Part::window, Affects::pixels,
                    Need::random, "fit random: least and most width divided by height.",
                    {.most = 1000}),
    row_of<Options>(WEIR_MEMBER(patch.padding), "--patch-padding", Part::window, Affects::pixels,
                    Need::patch,
                    "fit patch: pixels of fill on each side of the image, in which the rectangle "
                    "may begin and end.",
                    {.most = most_side}),
    row_of<Options>(WEIR_MEMBER(patch.pad_small), "--patch-pad-small", Part::window,
                    Affects::pixels, Need::patch,
                    "fit patch: smaller images are surrounded by fill. Otherwise they are faults."),
    row_of<Options>(WEIR_MEMBER(letterbox.align), "--letterbox-align", Part::window,
                    Affects::pixels, Need::letterbox,
                    "fit letterbox: where the image lies in its row.", {.enumerators = aligns}),
    row_of<Options>(WEIR_MEMBER(letterbox.enlarge), "--no-enlarge", Part::window, Affects::pixels,
                    Need::letterbox,
                    "fit letterbox: whether an image that is smaller than the row is enlarged."),
    row_of<Options>(WEIR_MEMBER(window.choose), "", Part::window, Affects::pixels, Need::decoded,
                    "From the sizes of image and row, label, annotation and random numbers: which "
                    "rectangle of the image becomes which of the row, in place of fit."),
    row_of<Options>(WEIR_MEMBER(window.name), "", Part::window, Affects::pixels, Need::decoded,
                    "Identifies window.choose for ranks and shared caches."),
    row_of<Options>(
        WEIR_MEMBER(window.same_each_epoch), "", Part::window, Affects::pixels, Need::decoded,
        "A sample has the same window in each epoch, so that a cache can keep its row."),
    row_of<Options>(WEIR_MEMBER(pixels), "--pixels", Part::decoder, Affects::pixels, Need::decoded,
                    "What a pixel consists of. stored8, stored16: indices of palettes and grey "
                    "values as the file has them.",
                    {.enumerators = formats}),
    row_of<Options>(
        WEIR_MEMBER(filter), "--filter", Part::decoder, Affects::pixels, Need::decoded,
        "How images are resized. antialiased: all source pixels count when an image is reduced, as "
        "in Pillow and torchvision. automatic: nearest for stored formats, else bilinear.",
        {.enumerators = filters}),
    row_of<Options>(
        WEIR_MEMBER(fill), "--fill", Part::decoder, Affects::pixels, Need::decoded,
        "What a row shows where it shows nothing of its image: one value, or one of each channel."),
    row_of<Options>(WEIR_MEMBER(planes), "--plane", Part::row, Affects::pixels, Need::decoded,
                    "Masks, depth and other images of each sample that a batch has beside the "
                    "image, at most seven."),
    row_of<Options>(WEIR_MEMBER(annotation_bytes), "--annotation-bytes", Part::row, Affects::pixels,
                    Need::nothing,
                    "Most bytes of the annotation of a sample; each row has as many. measured: "
                    "what the source says.",
                    {.most = most_annotation_bytes, .bytes = true}),
    row_of<Options>(WEIR_MEMBER(decode), "--decode", Part::decoder, Affects::pixels, Need::nothing,
                    "fast: large JPEGs are decoded at 1/2, 1/4 or 1/8 of their size. none: rows "
                    "are encoded samples.",
                    {.enumerators = decodes}),
    row_of<Options>(WEIR_MEMBER(exif), "--exif", Part::window, Affects::pixels, Need::decoded,
                    "Whether images are turned upright.", {.enumerators = exifs}),
    row_of<Options>(WEIR_MEMBER(order), "--order", Part::order, Affects::batches, Need::nothing,
                    "The order of the samples in an epoch."),
    row_of<Options>(WEIR_MEMBER(partners.count), "--partners", Part::row, Affects::batches,
                    Need::decoded,
                    "Further samples of each row, which are read and decoded with it and given to "
                    "the transform.",
                    {.most = PartnerOptions::most}),
    row_of<Options>(WEIR_MEMBER(partners.pick), "", Part::row, Affects::batches, Need::decoded,
                    "Which samples they may be.", {.enumerators = picks}),
    row_of<Options>(WEIR_MEMBER(partners.repeat), "", Part::row, Affects::batches, Need::decoded,
                    "Each draw is independent. Otherwise the samples of a row differ."),
    row_of<Options>(WEIR_MEMBER(partners.choose), "", Part::row, Affects::batches, Need::decoded,
                    "Chooses each of them, by epoch and position."),
    row_of<Options>(WEIR_MEMBER(partners.name), "", Part::row, Affects::batches, Need::decoded,
                    "Identifies partners.choose for ranks."),
    row_of<Options>(WEIR_MEMBER(batch), "--batch", Part::batch, Affects::batches, Need::nothing,
                    "Images in a batch.", {.least = 1, .most = most_batch}),
    row_of<Options>(WEIR_MEMBER(workers), "--workers", Part::queue, Affects::speed, Need::nothing,
                    "Threads that decode; 0: one per CPU that the program may use.",
                    {.most = most_workers}),
    row_of<Options>(WEIR_MEMBER(queue.max_queue_size), "--max-queue-size", Part::queue,
                    Affects::bytes, Need::nothing,
                    "Batches ahead of the consumer, filling or ready.",
                    {.least = 1, .most = most_queue}),
    row_of<Options>(WEIR_MEMBER(queue.max_leases), "--max-leases", Part::queue, Affects::bytes,
                    Need::nothing, "Batches that the consumer holds at once.",
                    {.least = 1, .most = most_leases}),
    row_of<Options>(WEIR_MEMBER(queue.max_bytes), "--max-queue-bytes", Part::queue, Affects::bytes,
                    Need::nothing,
                    "Bytes of the batches ahead of the consumer; one batch is always allowed.",
                    {.least = 1, .bytes = true}),
    row_of<Options>(WEIR_MEMBER(io.read_ahead), "--read-ahead", Part::queue, Affects::speed,
                    Need::nothing,
                    "Reads that run ahead of decoding. 0: each worker reads its own files.",
                    {.most = most_read_ahead}),
    row_of<Options>(WEIR_MEMBER(memory.budget_bytes), "--memory-budget", Part::sample,
                    Affects::bytes, Need::nothing, "Maximum of live bytes.", {.bytes = true}),
    row_of<Options>(WEIR_MEMBER(memory.alignment), "", Part::queue, Affects::bytes, Need::nothing,
                    "Alignment of each slab; a power of two.", {.least = 16, .most = 2 * mib}),
    row_of<Options>(WEIR_MEMBER(memory.max_sample_bytes), "--max-sample-bytes", Part::sample,
                    Affects::bytes, Need::nothing,
                    "Encoded bytes and scratch memory of one row: of its sample, and of its "
                    "partners. plan: the plan chooses. "
                    "measured: reads all samples first, and takes what the largest one needs.",
                    {.least = 1, .most = most_sample_bytes, .bytes = true, .absent = "plan"}),
    row_of<Options>(WEIR_MEMBER(memory.upstream), "", Part::queue, Affects::bytes, Need::nothing,
                    "Allocates slabs and the memory of a cache."),
    row_of<Options>(
        WEIR_MEMBER(memory.ledger), "", Part::queue, Affects::bytes, Need::nothing,
        "A ledger that several loaders share. Its budget replaces memory.budget_bytes."),
    row_of<Options>(WEIR_MEMBER(cache.keep), "--cache", Part::queue, Affects::speed, Need::nothing,
                    "What is kept of samples across epochs: encoded bytes, or decoded rows.",
                    {.enumerators = caches}),
    row_of<Options>(WEIR_MEMBER(cache.max_bytes), "", Part::queue, Affects::bytes, Need::nothing,
                    "Most bytes of the cache. rest: what the budget leaves.",
                    {.least = 1, .bytes = true, .absent = "rest"}),
    row_of<Options>(WEIR_MEMBER(cache.shared), "", Part::queue, Affects::bytes, Need::nothing,
                    "A CacheStore that several loaders share. It has its own bound."),
    row_of<Options>(WEIR_MEMBER(cache.tiles), "--cache-tiles", Part::queue, Affects::speed,
                    Need::nothing,
                    "Restart intervals in each row of a JPEG that an encoded cache keeps, so that "
                    "crops decode faster. 0: none.",
                    {}),
    row_of<Options>(
        WEIR_MEMBER(faults.policy), "--on-fault", Part::fault, Affects::batches, Need::nothing,
        "What a bad sample does. stop: the run ends. skip: another sample is taken. blank: "
        "the row is fill.",
        {.enumerators = policies}),
    row_of<Options>(WEIR_MEMBER(faults.tolerate), "--tolerate", Part::fault, Affects::nothing,
                    Need::tolerance, "Number of faults that skip and blank allow.",
                    {.absent = "any"}),
    row_of<Options>(WEIR_MEMBER(faults.tolerate_share), "", Part::fault, Affects::nothing,
                    Need::tolerance,
                    "The same as a share of the samples in the epochs begun so far."),
    row_of<Options>(WEIR_MEMBER(faults.strict), "--lenient", Part::decoder, Affects::pixels,
                    Need::nothing,
                    "A decoder's warning is a fault. Otherwise the row is delivered as damaged."),
    row_of<Options>(WEIR_MEMBER(tuning.mode), "--tuning", Part::stream, Affects::speed,
                    Need::nothing,
                    "automatic: queue, workers and read-ahead are adjusted while a stream runs.",
                    {.enumerators = tunings}),
    row_of<Options>(WEIR_MEMBER(tuning.target_readiness), "--target-readiness", Part::stream,
                    Affects::speed, Need::nothing,
                    "Share of the steps that must find a batch ready.", {.least = 1}),
    row_of<Options>(WEIR_MEMBER(tuning.most_queue), "", Part::stream, Affects::bytes, Need::nothing,
                    "Maximum of queue.max_queue_size. default: four times it, at least 16.",
                    {.least = 1, .most = most_queue, .absent = "default"}),
    row_of<Options>(
        WEIR_MEMBER(tuning.most_workers), "", Part::stream, Affects::speed, Need::nothing,
        "Maximum of workers. default: the larger of workers and the CPUs of the process.",
        {.least = 1, .most = most_workers, .absent = "default"}),
    row_of<Options>(WEIR_MEMBER(tuning.most_read_ahead), "", Part::stream, Affects::speed,
                    Need::nothing, "Maximum of io.read_ahead. default: the larger of it and 64.",
                    {.most = most_read_ahead, .absent = "default"}),
    row_of<Options>(WEIR_MEMBER(tuning.interval), "", Part::stream, Affects::speed, Need::nothing,
                    "Milliseconds between two decisions.", {.least = 10}),
    row_of<Options>(WEIR_MEMBER(tuning.on_move), "", Part::stream, Affects::nothing, Need::nothing,
                    "Called with a sentence for each move."),
    row_of<Options>(WEIR_MEMBER(trace.events), "--trace-events", Part::stream, Affects::bytes,
                    Need::nothing, "Events that are kept for Loader::write_trace, 48 bytes each.",
                    {.most = most_trace_events}),
    row_of<Options>(
        WEIR_MEMBER(watchdog.after), "--watchdog", Part::stream, Affects::nothing, Need::nothing,
        "Milliseconds without progress until the cause is reported. `--watchdog`: in seconds.",
        {.least = 1}),
    row_of<Options>(WEIR_MEMBER(watchdog.on_stall), "", Part::stream, Affects::nothing,
                    Need::nothing, "Called once per stall with its cause."),
    row_of<Options>(WEIR_MEMBER(limits.max_pixels), "--max-pixels", Part::limit, Affects::pixels,
                    Need::nothing, "Width times height.", {.least = 1}),
    row_of<Options>(WEIR_MEMBER(limits.max_side), "--max-side", Part::limit, Affects::pixels,
                    Need::nothing, "Width or height.", {.least = 1, .most = most_u32}),
    row_of<Options>(WEIR_MEMBER(limits.max_scans), "--max-scans", Part::limit, Affects::pixels,
                    Need::nothing, "JPEG: scans after the first.", {.most = most_u32}),
    row_of<Options>(WEIR_MEMBER(limits.max_encoded_bytes), "--max-encoded-bytes", Part::limit,
                    Affects::pixels, Need::nothing, "Bytes of a file.",
                    {.least = 1, .bytes = true}),
    row_of<Options>(WEIR_MEMBER(limits.max_header_bytes), "--max-header-bytes", Part::limit,
                    Affects::pixels, Need::nothing, "JPEG: tables and frame before the first scan.",
                    {.least = 1, .bytes = true}),
    row_of<Options>(WEIR_MEMBER(limits.max_markers), "--max-markers", Part::limit, Affects::pixels,
                    Need::nothing, "JPEG: markers before the first scan.",
                    {.least = 1, .most = most_u32}),
    row_of<Options>(WEIR_MEMBER(limits.max_ancillary_bytes), "--max-ancillary-bytes", Part::limit,
                    Affects::pixels, Need::nothing, "PNG: bytes of one ancillary chunk.",
                    {.bytes = true}),
    row_of<Options>(WEIR_MEMBER(codecs), "", Part::decoder, Affects::pixels, Need::nothing,
                    "Decoders for other formats."),
    row_of<Options>(
        WEIR_MEMBER(sizes.mode), "--sizes", Part::sizes, Affects::pixels, Need::nothing,
        "padded, ragged: images keep their own sizes. padded: each batch has the size of its "
        "largest image. ragged: the images of a batch follow one another in memory.",
        {.enumerators = size_modes}),
    row_of<Options>(WEIR_MEMBER(sizes.max_height), "--max-size", Part::sizes, Affects::pixels,
                    Need::own,
                    "padded, ragged: larger images are scaled down and keep their aspect ratio.",
                    {.least = 1, .most = most_side}),
    row_of<Options>(WEIR_MEMBER(sizes.max_width), "", Part::sizes, Affects::pixels, Need::own,
                    "The same for the width.", {.least = 1, .most = most_side}),
    row_of<Options>(WEIR_MEMBER(sizes.bucket_batches), "--bucket", Part::sizes, Affects::batches,
                    Need::padded,
                    "padded: images are sorted by size within so many batches, for less padding; "
                    "0: they are not.",
                    {.most = most_u32}),
    row_of<Options>(WEIR_MEMBER(sizes.multiple_of), "--multiple-of", Part::sizes, Affects::batches,
                    Need::padded, "padded: the height and width of a batch are multiples of it.",
                    {.least = 1, .most = 4096}),
    row_of<Options>(
        WEIR_MEMBER(sizes.size.name), "", Part::sizes, Affects::pixels, Need::decoded,
        "Identifies sizes.size.of for ranks. As text it gives the function, if it is a schedule "
        "as 'epoch 0: 160x160; 10: 224x224'."),
    row_of<Options>(
        WEIR_MEMBER(sizes.size.of), "--schedule", Part::sizes, Affects::pixels, Need::decoded,
        "From epoch and step, and with padded and ragged from the size of the image: the "
        "size of the rows. shape, or max_height and max_width, bound it."),
    row_of<Options>(WEIR_MEMBER(sizes.index), "", Part::sizes, Affects::batches, Need::nothing,
                    "The sizes of all images, from measure_sizes()."),
    row_of<Options>(WEIR_MEMBER(transform.apply), "", Part::row, Affects::batches, Need::decoded,
                    "A step of your own, which may change pixels, planes, label and annotation."),
    row_of<Options>(WEIR_MEMBER(transform.input), "", Part::row, Affects::batches, Need::nothing,
                    "Whether the transform gets whole images or fitted rows.",
                    {.enumerators = inputs}),
    row_of<Options>(WEIR_MEMBER(transform.whole), "", Part::row, Affects::batches, Need::nothing,
                    "What the transform gets whole: image and names of planes. Without any: all."),
    row_of<Options>(WEIR_MEMBER(transform.scratch_bytes), "", Part::row, Affects::bytes,
                    Need::nothing, "Memory of one call of the transform.",
                    {.most = most_scratch_bytes, .bytes = true}),
    row_of<Options>(WEIR_MEMBER(seed), "--seed", Part::order, Affects::batches, Need::nothing,
                    "Seed of the order, of random crops, of transforms and of replacements."),
    row_of<Options>(WEIR_MEMBER(drop_last), "--drop-last", Part::batch, Affects::batches,
                    Need::nothing, "Leaves out the short last batch of an epoch."),
    row_of<Options>(WEIR_MEMBER(ranks.rank), "--rank", Part::batch, Affects::nothing, Need::nothing,
                    "This process, below ranks.world.", {.most = most_u32}),
    row_of<Options>(WEIR_MEMBER(ranks.world), "--world", Part::batch, Affects::batches,
                    Need::nothing, "Number of processes that train together.",
                    {.least = 1, .most = most_u32}),
    row_of<Options>(WEIR_MEMBER(ranks.local_world), "--ranks-per-node", Part::batch, Affects::bytes,
                    Need::nothing,
                    "Those of them that share the CPUs and the memory of this machine.",
                    {.least = 1, .most = most_u32}),
});

constexpr auto plane_table = std::to_array<PlaneRow>({
    row_of<PlaneOptions>(WEIR_MEMBER(name), "", Part::row, Affects::nothing, Need::decoded,
                         "One of the source's planes; with made any other name."),
    row_of<PlaneOptions>(WEIR_MEMBER(pixels), "", Part::row, Affects::pixels, Need::decoded,
                         "What a pixel of the plane consists of.", {.enumerators = formats}),
    row_of<PlaneOptions>(WEIR_MEMBER(filter), "", Part::row, Affects::pixels, Need::decoded,
                         "How the plane is resized.", {.enumerators = filters}),
    row_of<PlaneOptions>(WEIR_MEMBER(fill), "", Part::row, Affects::pixels, Need::decoded,
                         "Where the plane shows nothing of its file."),
    row_of<PlaneOptions>(WEIR_MEMBER(scale), "", Part::row, Affects::pixels, Need::decoded,
                         "Sides of the plane's row beside those of the image's row.",
                         {.most = most_scale}),
    row_of<PlaneOptions>(WEIR_MEMBER(match), "", Part::row, Affects::pixels, Need::decoded,
                         "ratio: image and plane have the same ratio of sides. stretch: any sizes.",
                         {.enumerators = matches}),
    row_of<PlaneOptions>(WEIR_MEMBER(optional), "", Part::row, Affects::pixels, Need::decoded,
                         "A plane that is absent or broken is fill, not a fault."),
    row_of<PlaneOptions>(WEIR_MEMBER(made), "", Part::row, Affects::pixels, Need::decoded,
                         "It has no file; the transform draws it."),
});

#undef WEIR_MEMBER

}  // namespace

std::span<const Row> rows() noexcept { return table; }
std::span<const PlaneRow> plane_rows() noexcept { return plane_table; }

}  // namespace weir::options
