// oneTBB's flow graph: a limiter_node admits one batch for each queue slot.
#include <oneapi/tbb/concurrent_queue.h>
#include <oneapi/tbb/flow_graph.h>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/task_arena.h>

#include "photos.hpp"

using namespace peers;
namespace tbb = oneapi::tbb;
namespace flow = oneapi::tbb::flow;

int main(int argc, char** argv) {
  const Task task = Task::parse(argc, argv);
  const Photos photos(task);
  const std::size_t admitted = task.queue + 1;  // the consumer has one
  std::vector<Tensors> buffers(admitted);
  tbb::concurrent_queue<Tensors*> idle;
  tbb::concurrent_bounded_queue<Tensors*> ready;
  for (auto& buffer : buffers) idle.push(&buffer);

  // The workers and the consumer. By default oneTBB starts one thread less than there are cores.
  const tbb::global_control threads(tbb::global_control::max_allowed_parallelism, task.workers + 1);
  tbb::task_arena arena(static_cast<int>(task.workers) + 1, 1);
  arena.execute([&] {
    flow::graph graph;
    flow::input_node<std::size_t> numbers(graph, [&, next = std::size_t{0}](auto& control) mutable {
      if (next == photos.batches()) control.stop();
      return next++;
    });
    flow::limiter_node<std::size_t> limiter(graph, admitted);
    flow::function_node<std::size_t, Tensors*> decode(graph, task.workers, [&](std::size_t number) {
      Tensors* buffer = nullptr;
      idle.try_pop(buffer);  // never empty: the limiter admits no more than exist
      buffer->batch = number;
      photos.load(*buffer);
      return buffer;
    });
    flow::sequencer_node<Tensors*> order(graph, [](Tensors* buffer) { return buffer->batch; });
    flow::function_node<Tensors*> hand_over(graph, flow::serial, [&](Tensors* buffer) {
      ready.push(buffer);
      return flow::continue_msg{};
    });
    flow::make_edge(numbers, limiter);
    flow::make_edge(limiter, decode);
    flow::make_edge(decode, order);
    flow::make_edge(order, hand_over);
    numbers.activate();

    Consumer consumer(task);
    for (std::size_t taken = 0; taken < photos.batches(); ++taken) {
      Tensors* batch = nullptr;
      ready.pop(batch);
      consumer.take_floats(batch->samples, batch->values.data());
      idle.push(batch);
      limiter.decrementer().try_put(flow::continue_msg{});
    }
    consumer.report();
    graph.wait_for_all();
  });
}
