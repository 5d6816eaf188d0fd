//! Physics: what reading a value costs at least, and how far the crate is from that.
//!
//! This page is for contributors who want to make the crate faster. It says what bounds a parse, and
//! what was tried. All numbers are for the state of a game in `benches/parse.rs`: a dictionary of 208
//! bytes with 17 values, of which 9 are texts. Instructions are counted by callgrind;
//! [benchmarks](super::benchmarks) has the times.
//!
//! # The least work
//!
//! - **Bytes.** A parse reads each header, each length and each text once. It does not touch the
//!   content of numbers and vectors. `memcpy` of the 208 bytes takes 14 loads and stores of 32 bytes,
//!   and a check that they are ASCII takes 7 loads. So the bytes are not what costs time.
//! - **The chain.** Where a value begins follows from the length of the one before it. For a text, the
//!   processor loads the length (4 to 5 cycles), rounds it up and adds it: 8 cycles before the next
//!   value can be found. For a number or a vector it predicts the branch on the header, and the next
//!   value is one addition away. For this state, that makes about 80 cycles, or 22 ns at 3.6 GHz. That
//!   is why sizes are constants behind a branch and not entries of a table: a table would be one more
//!   load in the chain.
//! - **Branches.** For each value: one on the header, one on the bytes that are left, and two on the
//!   level of nesting; for each text two more. All are predicted well except that on a header where
//!   kinds alternate.
//! - **Stores.** None for a value, and one for each level of nesting: eight bytes. About 70 instructions
//!   to enter and leave: a tenth of the parse of this state.
//!
//! Written by hand for this state, a parse would take about 350 instructions: 20 for a text, 10 for a
//! number, 15 for a vector, and 60 once. The crate takes less than twice that, for every state.
//!
//! A fused pass adds one branch on the kind of each value and the reading of its content. A walk of a
//! parsed value hands out each value with its content, too; but it checks nothing, not even whether the
//! bytes are there. It takes 39 instructions for each value, a fused pass 52.
//!
//! Iterating over the entries takes 402 instructions and finding the last key 450, where a parse takes
//! 658. Their times differ less, 21 to 25 ns, because all of them wait for the same chain of lengths.
//!
//! # Text
//!
//! Text of at most 8 bytes is checked by one load and a mask. Longer ASCII is checked in words or blocks.
//! Text beyond ASCII is checked in blocks of 32 bytes where the processor has AVX2, and of 16 with SSE2:
//! the bytes before each block are loaded again, from one, two and three bytes earlier, so that blocks do
//! not wait for each other, and the last block overlaps the one before it. NUL, which no text of the
//! engines has, and the mark at the end are found in the same pass. Other processors use tables and the
//! standard library.
//!
//! # What was tried
//!
//! These changes helped, and are in the code:
//!
//! - The most common headers are compared before the table of kinds is read.
//! - A walk compares with the header of strings first, and the path from there to the visitor's code for
//!   strings has no other branch: 14 % fewer instructions for a fused pass.
//! - The reason why a walk stops is kept beside the events, so no event carries it.
//! - The last value of an input is read like any other; before, it took a slower way, because a block of
//!   24 bytes had to be there.
//! - Values that were checked are read without a look at the length of the input: 20 % fewer
//!   instructions for iterating, 7 % for a walk. With the text of strings read that way, too, a walk takes
//!   another 10 % less, iterating 16 %. Debug assertions still check each of these reads, so tests and
//!   fuzzing find a wrong one.
//! - The stack of levels has room that is not cleared, and a loop over values keeps its length in a
//!   register. Before, 16 levels were cleared, deeper ones moved in groups, and the length was read
//!   from memory and written back at each level: 18 % fewer instructions and 25 % less time for deep
//!   nesting, 5 % fewer instructions for flat values.
//! - The event at the start of a container has the number of items in it, which the walk has read
//!   anyway. Before, who asked for it looked up the kind of the container and read the count again.
//! - A search for a text key has a loop of its own, which makes no view of the keys that it skips. The
//!   length and the first four bytes of a key are compared as one number: 23 % fewer instructions.
//!
//! These did not help, and are not in the code:
//!
//! - The same comparison for ints, floats and bools: the compiler makes one table of jumps of them, and
//!   the pass takes a fourth more.
//! - Passing the container by value when its number of elements is read: the walk is no longer inlined
//!   as a whole, and takes a third more. Inlining is the cliff of this code: measure each change in all
//!   four build profiles.
//! - A search for a key that compares the first bytes of each key in the loop for keys of every kind:
//!   the loop has too many variables for the registers, and takes no less time than before.
//! - Branches on the length of short texts, in place of arithmetic: they break the chain above for
//!   packets that repeat, and cost 15 cycles each where lengths are random. That would mostly make
//!   benchmarks look good.
//!
//! # Nested values
//!
//! A walk returns an event where a container begins and one where it ends: 64 instructions for both,
//! where an int in a flat array takes 34. Before the changes above, that was 103 and 41. Beside the
//! events, a level takes one store of the level around it, and one load. To walk a value that is nothing
//! but nesting in 1.8 times the instructions of a flat one, both events together would have to take 61.
//! By time, the ratio is 1.7.
//!
//! The flat value is the fastest that there is: nothing in it but ints, whose branches are all
//! predicted. The ratio can also grow because a flat walk became faster.
//!
//! # Packets
//!
//! Reading the headers of a UDP packet takes about 260 instructions, 730 before packets with plain
//! headers had a path of their own. So the ratios of reading messages to walking headers grew, although
//! reading them takes a fourth to a half less than before. What is left for each message: writing the event into the
//! queue (150 instructions) and moving it out of it (120); for ENet, commands are read twice, once to
//! check the whole datagram and once to deliver them (300), and memory is counted exactly after each
//! packet (200), because a limit has to act at the same packet every time.
