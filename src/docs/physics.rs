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
//! number, 15 for a vector, and 60 once. The crate takes 1.7 times that, for every state.
//!
//! A fused pass adds one branch on the kind of each value and the reading of its content. A walk of a
//! parsed value hands out each value with its content, too; but it checks nothing, not even whether the
//! bytes are there. It takes 38 instructions for each value, a fused pass 52.
//!
//! Iterating over the entries takes 398 instructions and finding the last key 442, where a parse takes
//! 592. Their times differ less: 18, 23 and 19 ns. All of them wait for the same chain of lengths, and a
//! parse does its other work meanwhile. So iterating takes 0.96 of the time of a parse, and finding the
//! last key 1.2, although they take 0.67 and 0.75 of its instructions. The ratios were better when the
//! parse was slower.
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
//! - A parse reads the common values of a level in a loop of its own, which neither enters nor leaves
//!   levels. It has so few variables that the compiler keeps most of them where they are. An int in an
//!   array takes 19 instructions and not 22, and two thirds of the time; the state takes 9 % fewer
//!   instructions and 12 % less time, and a level of deep nesting 5 % and 25 %.
//! - The kind of an untyped array or dictionary is a constant, and is not read from the table.
//!
//! With these, a walk of the state takes three quarters of the instructions of a fused pass, but 0.75 to 0.88
//! of its time, depending on the build profile.
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
//! A walk returns an event where a container begins and one where it ends: 59 instructions for both,
//! where an int in a flat array takes 34. Before the changes above, that was 103 and 41. Beside the
//! events, a level takes one store of the level around it, and one load. So a value that is nothing but
//! nesting takes 1.72 times the instructions of a flat one. By time, the ratio is 1.7 to 1.9: a flat walk
//! has no chain but one addition for each int.
//!
//! The flat value is the fastest that there is: nothing in it but ints, whose branches are all
//! predicted. The ratio can also grow because a flat walk became faster.
//!
//! # Literals
//!
//! A literal is written as pieces: brackets, names, separators, numbers, and text between quotes.
//! The pieces are collected in a block, as those of JSON are. A literal of the state took 1.28
//! times the instructions of its lossless JSON and 1.42 times the time, and now takes 0.99 and 0.96
//! (with `codegen-units = 1`). The extra cost had these causes:
//!
//! - **Copies.** JSON writes most of what stands before a value as one constant. Separators and brackets
//!   of literals depend on the engine, so each was a call of `memcpy` with a length, and a vector took
//!   six. Now brackets are copied as eight bytes, whatever their length, and separators are constants
//!   behind a branch.
//! - **Calls.** Strings and other values had a function each, which saved and restored all registers.
//!   Now both are parts of the walk, and only text with escapes is written by a function of its own.
//! - **Quotes.** Both quotes and the text between them are written with one look at the room in the block.
//!
//! One cost remains that JSON does not have: `fmt` takes a `str`, so the block is checked once more
//! to be UTF-8, which takes 140 instructions.
//!
//! # Packets
//!
//! A message of a capture with one connection takes these instructions besides the parse of its value.
//! Over TCP and WebSocket, a packet has seven messages, which share the first four rows:
//!
//! | step | UDP | TCP | ENet | WebSocket |
//! |---|---|---|---|---|
//! | read the record of the file and the headers of the packet | 173 | 29 | 173 | 30 |
//! | empty the queue of events, note the packet | 71 | 10 | 71 | 10 |
//! | find the connection, and see that the packet opens no other | 231 | 45 | 231 | 46 |
//! | count how much memory the connection takes | 63 | 34 | 78 | 40 |
//! | the transport: put segments in order, find messages, unmask them | | 190 | 595 | 525 |
//! | count the message, write its event into the queue | 300 | 140 | 369 | 150 |
//! | read the event, without its value | 174 | 80 | 174 | 82 |
//! | together, with functions of a few instructions | 1,014 | 540 | 1,701 | 894 |
//!
//! The goals are 1,050, 460, 1,750 and 700. All but WebSocket reach theirs today. The greatest
//! costs:
//!
//! - **TCP.** Events are moved: one has 208 bytes in the queue, and over 300 where the caller
//!   gets it, with the packet, both addresses, the peers, and how the transport carried it. To write one
//!   and count it takes 140, to read it 80. The public types have these fields by value. One message in
//!   seven is in two segments: to copy its parts to a buffer and to join their packets takes 40 for each
//!   message.
//! - **WebSocket.** The same, and what TCP does not have: to unmask 208 bytes takes 106
//!   instructions, and to copy them to the queue 30. To read the header of a frame takes 75, and again
//!   where a frame is in two segments.
//!
//! These numbers are of the program of the benchmark without the allocator. They were counted before the
//! common values of a level got a loop of their own, and before a message was made where it stays in the
//! queue. The tables of [benchmarks](super::benchmarks) show how it is today.
//!
//! Memory is counted exactly after each packet, because a limit has to act at the same packet every time.
//!
//! These changes helped:
//!
//! - Messages are kept apart from other events, in a list of plain data. So emptying the queue drops
//!   nothing, and an event is written where it stays. With messages and boxed summaries in one type, each
//!   message was built elsewhere and copied by `memcpy`.
//! - A message of ENet that is reliable and next on a channel where nothing waits is taken at one place.
//!   Before, it passed four functions, and the state of its channel was noted after each command. A
//!   session counts its memory only after other commands: 350 instructions less.
//! - The code that receives the messages of a transport has one function for messages, and another
//!   for everything else. The former is inlined where a frame is found. A single function for both
//!   was called at several places and therefore not inlined, and each message was written to memory
//!   twice more: 28 instructions for TCP, 54 for WebSocket.
//! - Values are read by a function of their own, which builds the event in the place of the result. If
//!   the same function also reads packets of the multiplayer API, the event is moved twice more.
//! - A message is made after the queue has room for it, and stream readers pass the packet of a message
//!   by reference: 17 instructions less for TCP. Before, its parts were collected on the stack first.
//! - When an event is read, its origin is copied field by field. If it is copied as a whole, the compiler
//!   collects it and its neighbours elsewhere, and calls `memcpy`: 21 instructions more.
//! - The reader of frames splits each frame once, and completes one that spans segments by a function of
//!   its own. Before, it asked at each frame whether the start of one was kept, and cut the frame out of
//!   the segment again after its header was read: 44 instructions less for TCP, 66 for WebSocket.
//! - Addresses are passed by reference. When they were passed by value to inlined functions, the compiler
//!   copied each field of them on its own: 190 instructions for a datagram.
//!
//! Valgrind counts the allocator, too. It took 60 to 100 instructions for each message to sort what the
//! generation of the captures had freed, in the first runs of a bench. Now the generation cuts its
//! streams into segments without another buffer, so it leaves nothing to sort.
