"""The two engines that can keep a store, and the locks that its workers use."""
