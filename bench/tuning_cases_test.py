"""The breaches that `./dev bench tune` finds in fixed figures."""
import unittest

import tuning_cases


def result(**changed):
    figures = {"case": "reads of 5 ms", "regime": "storage", "right": True, "advised_of_best": 0.96,
               "advised_bytes": 100, "least_bytes_of_sweep": 100,
               "rows": [{"off": 0.05}, {"off": -0.05}, {"off": 0.15}]}
    return figures | changed


class Breaches(unittest.TestCase):
    def check(self, results, *parts):
        found = tuning_cases.breaches(results)
        self.assertEqual(len(found), len(parts), found)
        for breach, part in zip(found, parts):
            self.assertIn(part, breach)

    def test_what_is_at_its_bound_holds(self):
        self.check([result()])

    def test_each_case_is_held_to_regime_throughput_and_bytes(self):
        self.check([result(), result(right=False, regime="decode")], "the regime is decode")
        self.check([result(advised_of_best=0.959)], "reaches 95.9 % of the best")
        self.check([result(advised_bytes=101)], "takes 101 bytes")
        self.check([result(right=False, advised_of_best=0.5, advised_bytes=200)], "regime", "reaches", "takes")

    def test_predictions_are_held_together(self):
        self.check([result(rows=[{"off": -0.06}, {"off": 0.051}, {"off": 0}])], "5.1 % off (median)")
        self.check([result(), result(rows=[{"off": -0.151}, {"off": 0}, {"off": 0}])], "15.1 % off (worst)")


if __name__ == "__main__":
    unittest.main()
