#ifndef WEIR_WEIR_H
#define WEIR_WEIR_H

/**
 * \file
 * weir for C99 and for every language that calls C. The library is libweir-c.so; `weir/c.hpp` wraps it for C++11.
 *
 * Results. Every function that can fail returns WEIR_OK, or another weir_code, and then fills `error`, which may be
 * null. No C++ exception leaves the library, and it has no global state.
 *
 * Structs. The caller sets `size` of each struct to sizeof that struct. Another size is WEIR_MISUSE: the program was
 * compiled with a header of another version.
 *
 * Texts are UTF-8 and end with a 0. Text that the library gives goes to `room` bytes at `to`. If they are too few, the
 * result is WEIR_NO_ROOM. `length`, which may be null, is set to the bytes without the 0 in both cases.
 *
 * Threads. A loader takes calls from any thread, but weir_close() only while no other call runs. One thread at a
 * time waits in weir_next(); a second one gets WEIR_MISUSE. A batch has one user at a time. What weir_column() and its
 * like give is valid until the batch is released. After fork() the child must call exec or _exit.
 */

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define WEIR_C_API __attribute__((visibility("default"))) /**< marks what libweir-c.so exports */
#else
#define WEIR_C_API /**< marks what libweir-c.so exports */
#endif

#ifdef __cplusplus
extern "C" {
#endif

/** The result of a call. 1 to 8 have the numbers of weir::Errc. */
typedef enum weir_code {
  WEIR_OK = 0,
  WEIR_BAD_OPTIONS =
      1, /**< an impossible plan, or no such option; the error names option, value and bound of a wrong value */
  WEIR_BUDGET_TOO_SMALL = 2,  /**< the memory budget is below the floor */
  WEIR_TOO_MANY_LEASES = 3,   /**< weir_next() while `queue.max_leases` batches are held */
  WEIR_TOO_MANY_FAULTS = 4,   /**< more samples failed than `faults.tolerate` */
  WEIR_SAMPLE_FAILED = 5,     /**< a sample failed, and `faults.policy` is stop */
  WEIR_SOURCE_FAILED = 6,     /**< the data cannot be opened */
  WEIR_STOPPED = 7,           /**< the call was ended */
  WEIR_TOO_MANY_REQUESTS = 8, /**< not used by this interface */
  WEIR_END = 100,             /**< no error: the stream has no further batch */
  WEIR_TIMEOUT = 101,         /**< no error: no batch in time */
  WEIR_MISUSE =
      200, /**< null, a wrong size, a batch that is not held, a second thread, no weir_start() yet */
  WEIR_NO_ROOM = 201,   /**< the caller's buffer is too small for a text */
  WEIR_NO_MEMORY = 202, /**< the system has no memory */
  WEIR_SYSTEM = 203,    /**< a system call failed */
  WEIR_OTHER = 204      /**< anything else; the text says what */
} weir_code;

/** What is wrong. Texts that are too long are cut. Those of an error that is not about the value of one option are
 * empty. Texts name options and functions as in C++; `std::nullopt` is 0 here. */
typedef struct weir_error {
  size_t size;       /**< sizeof(weir_error) */
  int32_t code;      /**< weir_code */
  char option[64];   /**< for example "queue.max_queue_size" */
  char value[128];   /**< as text */
  char bound[256];   /**< what it must be */
  char way_out[256]; /**< what else helps; may be empty */
  char text[1024];   /**< the whole as a sentence */
} weir_error;

/** A loader: data, options, threads, at most one stream, and the batches that the caller holds. */
typedef struct weir_loader weir_loader;
/** A batch that the caller holds: a number of its loader. 0 is no batch. */
typedef uint64_t weir_batch;

/** The element of a weir_array. */
typedef enum weir_element { WEIR_U8, WEIR_U16, WEIR_U32, WEIR_U64, WEIR_I64 } weir_element;

/** Memory of a batch, to read. */
typedef struct weir_array {
  size_t size;        /**< sizeof(weir_array) */
  const void* data;   /**< first element */
  int32_t element;    /**< weir_element */
  uint32_t dims;      /**< number of dimensions, 1 to 4 */
  uint64_t shape[4];  /**< elements by dimension; 1 from `dims` on */
  int64_t strides[4]; /**< bytes from one element to the next, by dimension */
} weir_array;

/** What a loader is, with the options resolved. */
typedef struct weir_loader_info {
  size_t size;                /**< sizeof(weir_loader_info) */
  uint64_t samples;           /**< samples of the data */
  uint64_t batches_per_epoch; /**< on this rank */
  uint64_t slab_bytes;        /**< of one batch */
  uint64_t floor_bytes;       /**< the least budget */
  uint64_t ceiling_bytes;     /**< the most that is held with any data */
  uint64_t classes;           /**< number of class names */
  uint32_t batch;             /**< rows of a batch */
  uint32_t height; /**< of each image; if sizes differ, the largest. With `decode` = none: 1 */
  uint32_t
      width; /**< the same; with `decode` = none the bytes of the largest encoded sample, and the next two say
                        nothing */
  uint32_t channels;       /**< values of a pixel */
  uint32_t value_bytes;    /**< bytes of such a value: 1 or 2 */
  uint32_t max_queue_size; /**< batches in the queue */
  uint32_t max_leases;     /**< batches that the caller may hold */
  uint32_t workers;        /**< decoding threads */
} weir_loader_info;

/** Bytes and samples at one instant. `live` is the sum of the accounts. */
typedef struct weir_counts {
  size_t size;         /**< sizeof(weir_counts) */
  uint64_t live, peak; /**< bytes now, and the most so far */
  uint64_t budget;     /**< UINT64_MAX: no limit */
  uint64_t
      accounts[8]; /**< live by purpose: index encoded scratch filling ready leased idle cache */
  uint64_t drawn, in_flight, ready, leased, consumed, discarded, dropped, failed; /**< samples */
  uint64_t replaced, omitted, partners;                                           /**< samples */
  uint32_t batches_filling, batches_ready, batches_leased;
} weir_counts;

/** The extent of a stream. */
typedef struct weir_stream_options {
  size_t size;          /**< sizeof(weir_stream_options) */
  const char* resume;   /**< text of weir_progress(); null: from the beginning */
  uint64_t first_epoch; /**< epochs to leave out; 0 with `resume` */
  uint64_t epochs;      /**< from the beginning of the training; 0: no end */
} weir_stream_options;

/** What a batch is. */
typedef struct weir_batch_info {
  size_t size;            /**< sizeof(weir_batch_info) */
  uint64_t sequence;      /**< in the stream, from 0 */
  uint64_t epoch;         /**< of all rows, from 0 */
  uint64_t global_rows;   /**< samples of all ranks in this step */
  uint64_t bytes_held;    /**< size of its memory */
  double padding;         /**< share of the pixels that belongs to no image */
  uint32_t rows;          /**< at least 1 */
  uint32_t last_of_epoch; /**< 1: the next batch is of another epoch */
} weir_batch_info;

/** Which rectangle of the upright image became which of the row: x, y, width, height. All 0: the row shows nothing. */
typedef struct weir_window {
  size_t size;              /**< sizeof(weir_window) */
  double source[4];         /**< in the upright image */
  double target[4];         /**< in the row */
  uint32_t flip_horizontal; /**< 1: left and right are exchanged */
  uint32_t flip_vertical;   /**< 1: top and bottom are */
  uint32_t height, width;   /**< of the upright image */
  uint32_t orientation;     /**< EXIF, 1 to 8, that was applied */
} weir_window;

/** One sample that a weir_source reads. Valid during that call. */
typedef struct weir_sink weir_sink;

/** Data of one's own. */
typedef struct weir_source {
  size_t size;             /**< sizeof(weir_source) */
  void* self;              /**< given to the functions below */
  uint64_t count;          /**< number of samples */
  const char* fingerprint; /**< identifies the data for resuming; null: count alone does */
  /** Reads sample `index`: weir_take(), then the encoded image there. Many threads at once. It must not call the
   * loader. Returns 0, or else what weir_fail() returned. */
  int32_t (*read)(void* self, uint64_t index, weir_sink* sink);
  /** Called once when nothing reads any more, also if weir_open_source() fails, but not if `size` of this struct or of
   * the error is wrong. May be null. */
  void (*close)(void* self);
} weir_source;

/** The version of the library, as "0.1.0". */
WEIR_C_API const char* weir_version(void);

/** Opens `data` as the program takes it: a folder, tar shards, a manifest, "cifar10:PATH", "cifar100:PATH",
 * "cifar100-coarse:PATH", "mnist:PATH", "synthetic:COUNT,HxW". Planes and annotations come from the columns of a
 * manifest; folders and shards give none here. `options` as "batch=32,shape=224x224,fit=random"; docs/guide/options.md
 * lists them; null: the defaults. Starts no stream, but where sizes must be known,
 * threads read the samples before it returns. */
WEIR_C_API int32_t weir_open(const char* data, const char* options, weir_loader** loader,
                             weir_error* error);
/** The same for data of one's own. The struct is copied. */
WEIR_C_API int32_t weir_open_source(const weir_source* source, const char* options,
                                    weir_loader** loader, weir_error* error);
/** Ends stream and threads, and sets the pointer to null. WEIR_MISUSE while batches are held: then nothing happens. */
WEIR_C_API int32_t weir_close(weir_loader** loader, weir_error* error);

WEIR_C_API int32_t weir_describe(weir_loader* loader, weir_loader_info* info, weir_error* error);
WEIR_C_API int32_t weir_count(weir_loader* loader, weir_counts* counts, weir_error* error);
/** Memory, speed and faults so far, as the JSON of `weir run --json`. Its `error` is that of the last stream.
 * `rss_peak` is the peak since the process began; `pss_peak` and the `after` values are those of this call. */
WEIR_C_API int32_t weir_report(weir_loader* loader, char* to, size_t room, size_t* length,
                               weir_error* error);
/** The name of a sample, by its index in the data. */
WEIR_C_API int32_t weir_sample_name(weir_loader* loader, uint64_t index, char* to, size_t room,
                                    size_t* length, weir_error* error);
/** The name of a class, by its label. */
WEIR_C_API int32_t weir_class_name(weir_loader* loader, uint64_t label, char* to, size_t room,
                                   size_t* length, weir_error* error);

/** Starts the threads. `options` of null: one epoch. A stream before it must have ended; batches stay valid. */
WEIR_C_API int32_t weir_start(weir_loader* loader, const weir_stream_options* options,
                              weir_error* error);
/** Waits for the next batch, at most for `timeout_ms`; 0: returns at once; below 0: without limit. WEIR_END, WEIR_TIMEOUT
 * or an error give batch 0. An error that ended the stream is told once. While `queue.max_leases` batches are held, the
 * result is WEIR_TOO_MANY_LEASES. But with a `timeout_ms` above 0 it waits for weir_release() in another thread, and may
 * give WEIR_TIMEOUT. */
WEIR_C_API int32_t weir_next(weir_loader* loader, int64_t timeout_ms, weir_batch* batch,
                             weir_error* error);
/** Ends the stream soon. weir_next() then gives WEIR_END. Any thread. */
WEIR_C_API int32_t weir_cancel(weir_loader* loader, weir_error* error);
/** The samples that are finished, as JSON: on this rank, or of all ranks that have finished as many steps. */
WEIR_C_API int32_t weir_progress(weir_loader* loader, int32_t all_ranks, char* to, size_t room,
                                 size_t* length, weir_error* error);

WEIR_C_API int32_t weir_describe_batch(weir_loader* loader, weir_batch batch, weir_batch_info* info,
                                       weir_error* error);
/** A column of all rows. `plane` of null is the image.
 *
 * | column | elements | shape | weir_row() |
 * | --- | --- | --- | --- |
 * | pixels | u8, or u16 for formats of 16 bits | N, H, W, C; not for images of their own sizes | H, W, C; also for those |
 * | statuses | u8: ok, damaged, replaced, blank, padding; of a plane: ok, damaged, absent, broken | N | |
 * | bytes | u8: all pixels, or with decode=none all samples | bytes | with decode=none: the sample as it was read |
 * | offsets | u64: the begin of each row in `bytes`; none if all have one size | N | |
 * | labels | i64; -1: padding, blank | N; image only, like all that follow | |
 * | indices | u64: the samples in the data | N | |
 * | sizes | u32: height, width; none if all have one size | N, 2 | |
 * | annotations | u8 | N, annotation_bytes; if all have one length | bytes of any length |
 * | annotation_lengths | u32 | N | |
 */
WEIR_C_API int32_t weir_column(weir_loader* loader, weir_batch batch, const char* plane,
                               const char* column, weir_array* array, weir_error* error);
/** One row of a column, as the table says. */
WEIR_C_API int32_t weir_row(weir_loader* loader, weir_batch batch, const char* plane,
                            const char* column, uint32_t row, weir_array* array, weir_error* error);
WEIR_C_API int32_t weir_window_of(weir_loader* loader, weir_batch batch, uint32_t row,
                                  weir_window* window, weir_error* error);
/** The batch is trained, although it is still in hand: weir_progress() has its samples. */
WEIR_C_API int32_t weir_finish(weir_loader* loader, weir_batch batch, weir_error* error);
/** Returns the memory of a batch. `finished` of 0: it was not trained, and comes again when training resumes. */
WEIR_C_API int32_t weir_release(weir_loader* loader, weir_batch batch, int32_t finished,
                                weir_error* error);

/** In weir_source::read: memory for the encoded image, charged to the budget. Once for a sample. Null: return 0 at once,
 * and write to no memory of this sample, because what was taken before may be gone. weir reads the sample again if the
 * budget was full, or if image and annotation needed a larger block. */
WEIR_C_API void* weir_take(weir_sink* sink, size_t bytes);
/** 1 if somebody wants the annotation of the sample, else 0. Ask before weir_take_annotation(). */
WEIR_C_API int32_t weir_wants_annotation(const weir_sink* sink);
/** As weir_take(), for the annotation of the sample. Null also if nobody wants it; then the sample goes on. */
WEIR_C_API void* weir_take_annotation(weir_sink* sink, size_t bytes);
/** The label of the sample; 0 without this call. */
WEIR_C_API void weir_set_label(weir_sink* sink, int64_t label);
/** The sample cannot be read, and why. Returns what read must return. */
WEIR_C_API int32_t weir_fail(weir_sink* sink, const char* reason);

#ifdef __cplusplus
}
#endif

#endif
