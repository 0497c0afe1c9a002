"""The tables of fixed figures, compared exactly if it matters."""
import unittest

import table

FIGURES = {
    "date": "2026-01-02", "notes": ["a note"],
    "machine": {"cpu": "A CPU", "memory_gib": 47.2, "kernel": "6.1", "load_before": [0.5, 0, 0],
                "load_after": [2.25, 0, 0]},
    "versions": {"weir": "0.1.0", "libtorch-dev": "1.13"},
    "settings": {"rounds": 3, "batch": 64, "workers": 2, "cores": [0, 1], "queue": 4},
    "speed": {"photos": {"center": {
        "roofline": [2000.0, 4000.0, 2000.0], "weir, uint8": [1900.0, 3800.0, 2000.0],
        "weir, float32": [1800.0, 3600.0, 1800.0], "slow": [900.0, 1800.0, 600.0],
        "PyTorch": [600.0, 1200.0, 600.0]}}},
    "memory": {"weir, uint8": {"1": 50 << 20, "20": 240 << 20},
               "fat": {"1": 200 << 20, "20": 1600 << 20},
               "slow": {"1": 100 << 20, "20": 800 << 20}},
}


class Table(unittest.TestCase):
    def setUp(self):
        self.lines = table.markdown(FIGURES).splitlines()

    def test_a_cell_is_median_least_most_and_quotient_by_rounds(self):
        self.assertIn("| slow | 900 (600–1,800) 0.50× |", self.lines)

    def test_the_reference_has_no_quotient(self):
        self.assertIn("| weir, float32 | 1,800 (1,800–3,600) |", self.lines)

    def test_a_place_in_the_queue_is_the_slope(self):
        self.assertIn("| slow | 100 | 800 | 36.8 |", self.lines)
        self.assertIn("| weir, uint8 | 50 | 240 | 10.0 |", self.lines)

    def test_comparisons_name_the_best_peer_and_the_leanest(self):
        self.assertIn("- photos, center: weir, uint8 0.950 of the roofline; weir, float32 0.900 of the "
                      "roofline; float32 2.00× the best peer (slow); 3.00× PyTorch.", self.lines)
        self.assertIn("- memory at queue 20: weir, uint8 is 0.30 of the leanest float peer (slow).", self.lines)

    def test_a_loader_that_did_not_run_leaves_an_empty_cell(self):
        speed = {"photos": {"center": {"a": [1.0]}, "random": {"b": [2.0]}}}
        self.assertIn("| a | 1 (1–1) |  |", list(table.speed_table(speed)))

    def test_versions_machine_and_notes_are_there(self):
        text = "\n".join(self.lines)
        for part in ("A CPU, 47 GiB, Linux 6.1", "0.5 before, 2.2 after", "weir 0.1.0", "Note: a note."):
            self.assertIn(part, text)


if __name__ == "__main__":
    unittest.main()
