#pragma once

#include <memory>

#include "books/book.hpp"
#include "support/catch.hpp"
#include "support/waker.hpp"

namespace weir::books::test {

/// A book in a budget of 300: one slab of 50, whose batch of four rows is open.
struct Desk {
  explicit Desk(const ShareLimits& limits) : book(std::make_shared<Book>(ledger, limits)) {
    book->begin_stream(waker);
    REQUIRE(book->try_charge_slab());
    book->add_slab(0);
    book->open_batch(0, 0, 4);
  }
  /// Call it before the waiters are destroyed.
  void end() {
    book->cancel();
    book->drop_front();
    book->end_stream();
  }

  std::shared_ptr<Ledger> ledger = std::make_shared<Ledger>(300);
  std::shared_ptr<Book> book;
  std::shared_ptr<weir::test::Waker> waker = std::make_shared<weir::test::Waker>();
};

}  // namespace weir::books::test
