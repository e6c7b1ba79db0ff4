//! What the cache ways do in a cycle.

use super::super::{LineNumber, lines_name};
use super::DualityCache;
use crate::duality::blocks::bundles::{CacheDrainSink, CacheStageSource};
use crate::duality::cache_params::{AT_BITS, LINE_BITS, LINE_WORDS};
use crate::kernel::prelude::*;
use crate::parts::bundles::AxiMasterPort;

numbers! {
    CLEAR = 0, RUN = 1, CHOOSE = 2, JUDGE = 3, EVICT = 4, TAKE = 5, AWAIT = 6, RESUME = 7, SCAN = 8, LOOK = 9,
    DROP = 10, FLUSH = 11, WORDS = LINE_WORDS
}

impl Logic for DualityCache {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, tags, words, replacement, memory, modes, first, second);
        dff_setup!(self, clock, state, first_valid, second_valid, way, found, pending, waited, place, fresh, count);
        dff_setup!(self, clock, old, step, answered, answered_failed, answer, answer_word, broken);
        for j in 0..self._lines {
            dff_setup!(self, clock, first_whole[j], second_whole[j]);
        }
        CacheStageSource::join(&mut self.first.q, &mut self.first.d);
        CacheStageSource::join(&mut self.second.q, &mut self.second.d);
        self.port_line.next = self.port.address.val().get_bits::<LINE_BITS>(6);
        self.unused_byte.next = self.port.address.val().get_bits::<3>(0);
        self.first_line.next = self.first.q.at.val().get_bits::<LINE_BITS>(3);
        self.second_line.next = self.second.q.at.val().get_bits::<LINE_BITS>(3);
        // What is done in this cycle.
        self.runs.next = self.state.q.val() == RUN;
        self.stalls.next =
            self.second_valid.q.val() & (!self.found.q.val() | (self.pending.q.val() & !self.second.q.hint.val()));
        for j in 0..self._lines {
            self.whole[j].next = self.second_valid.q.val() & self.second_whole[j].q.val();
            self.dropped[j].next = self.runs.val() & self.whole[j].val() & self.stores[j].drop.val();
            if self.dropped[j].val() {
                self.stalls.next = false;
            }
        }
        self.moves.next = self.runs.val() & !self.stalls.val();
        self.serves.next = self.moves.val() & self.second_valid.q.val();
        for j in 0..self._lines {
            if self.dropped[j].val() {
                self.serves.next = false;
            }
        }
        self.store.next = self.serves.val() & self.second.q.write.val() & !self.second.q.hint.val();
        self.takes.next = self.state.q.val() == TAKE;
        self.drops.next = self.state.q.val() == DROP;
        self.clears.next = self.state.q.val() == CLEAR;
        self.evicts.next = self.state.q.val() == EVICT;
        // Whether a request is taken.
        CacheDrainSink::link(&mut self.drain, &mut self.modes.drain);
        self.drained.next = self.modes.drained.val();
        self.modes.restart.next = self.restart.val();
        self.modes.enabled.next = self.enabled.val();
        self.modes.runs.next = self.runs.val();
        self.modes.empty.next = !self.first_valid.q.val() & !self.second_valid.q.val();
        self.modes.asked.next = self.port.valid.val();
        self.modes.idle.next = self.memory.written_all.val();
        self.port.ready.next =
            self.moves.val() & !self.restart.val() & self.modes.serving.val().any() & !self.modes.pauses.val();
        self.accepts.next = self.port.valid.val() & self.port.ready.val();
        // Tags.
        self.tags.read_line.next = self.place.q.val();
        if self.runs.val() {
            self.tags.read_line.next = self.port_line.val();
        } else if self.state.q.val() == RESUME {
            self.tags.read_line.next = self.first_line.val();
        }
        self.tags.line.next = self.first_line.val();
        self.tags.chosen.next = self.way.q.val();
        self.tags.place.next = self.place.q.val();
        self.none.next = 0.into();
        self.tags.write.next = self.none.val();
        self.tags.write_line.next = self.memory.fill_at.val().get_bits::<LINE_BITS>(3);
        self.tags.write_valid.next = !self.memory.failed.val();
        self.tags.write_pending.next = false;
        if self.memory.ends.val() {
            self.tags.write.next = self.memory.fill.val();
        }
        if self.takes.val() {
            self.tags.write.next = self.way.q.val();
            self.tags.write_line.next = self.second_line.val();
            self.tags.write_valid.next = true;
            self.tags.write_pending.next = true;
            for j in 0..self._lines {
                self.tags.write_pending.next = !self.whole[j].val();
            }
        } else if self.drops.val() {
            self.tags.write.next = self.way.q.val();
            self.tags.write_line.next = self.place.q.val();
            self.tags.write_valid.next = false;
        } else if self.clears.val() {
            self.tags.write.next = !self.none.val();
            self.tags.write_line.next = self.place.q.val();
            self.tags.write_valid.next = false;
        }
        // Words.
        self.words.read_line.next = self.second_line.val();
        self.words.at.next = self.second.q.at.val();
        if self.moves.val() {
            self.words.read_line.next = self.first_line.val();
        } else if self.evicts.val() {
            self.words.read_line.next = self.place.q.val();
            self.words.at.next = (bits_to::<Bits<AT_BITS>, LineNumber>(self.place.q.val()) << 3)
                | bits_to::<Bits<AT_BITS>, Bits<3>>(self.count.q.val().get_bits::<3>(0) - 1);
        }
        self.words.chosen.next = self.way.q.val();
        self.words.store.next = self.store.val();
        for j in 0..self._lines {
            self.words.store.next = self.store.val() & !self.whole[j].val();
            self.words.store_line[j].next = self.store.val() & self.whole[j].val();
            for k in 0..LINE_WORDS {
                self.picked.next = self.stores[j].line.val().get_bits::<64>(64 * k);
                self.words.new_words[k].next = bits_to::<Word<64, 1>, Bits<64>>(self.picked.val());
                self.picked.next = self.answer.q.val().get_bits::<64>(64 * k);
                self.words.was_words[k].next = bits_to::<Word<64, 1>, Bits<64>>(self.picked.val());
            }
        }
        self.words.data.next = self.second.q.data.val();
        self.words.strobes.next = self.second.q.strobes.val();
        self.words.fill.next = self.memory.fill.val();
        self.words.fill_at.next = self.memory.fill_at.val();
        self.words.fill_data.next = self.memory.fill_data.val();
        // Which way was used, and which one is next.
        self.replacement.read_line.next = self.second_line.val();
        if self.moves.val() {
            self.replacement.read_line.next = self.first_line.val();
        }
        self.replacement.line.next = self.second_line.val();
        self.replacement.serving.next = self.modes.serving.val();
        self.replacement.free.next = !self.tags.valid.val();
        self.replacement.touch.next = self.serves.val() | self.takes.val();
        self.replacement.touched.next = self.way.q.val();
        self.replacement.clear.next = self.clears.val();
        if self.clears.val() {
            self.replacement.line.next = self.place.q.val();
        }
        // Sets whose line was written.
        self.dirty_ways.next = 0.into();
        for i in 0..self._ways {
            self.dirty[i].clock.next = self.clock.val();
            self.dirty[i].read_address.next = self.place.q.val();
            self.dirty[i].read_enable.next = true;
            self.dirty[i].write_address.next = self.second_line.val();
            self.dirty[i].write_enable.next = (self.store.val() | self.takes.val()) & self.way.q.val().get_bit(i);
            self.dirty[i].write_data.next = self.store.val();
            self.dirty_ways.next = self.dirty_ways.val().replace_bit(i, self.dirty[i].read_data.val());
        }
        // Lines that are fetched and written back.
        AxiMasterPort::<Bits<32>, Word<64, 1>, Bits<8>>::link(&mut self.m_axi, &mut self.memory.m_axi);
        self.memory.take.next = self.takes.val();
        for j in 0..self._lines {
            self.memory.take.next = self.takes.val() & !self.whole[j].val();
        }
        self.memory.take_line.next = self.second_line.val();
        self.memory.take_way.next = self.way.q.val();
        self.memory.forget.next = self.restart.val();
        self.memory.hold.next = self.store.val() | self.takes.val() | self.drops.val();
        self.memory.word.next = self.evicts.val() & (self.count.q.val() != 0);
        self.memory.number.next = self.count.q.val().get_bits::<3>(0) - 1;
        self.memory.data.next = self.words.word.val();
        self.notes.next = self.evicts.val() & (self.count.q.val() == WORDS);
        self.memory.note.next = self.notes.val();
        self.memory.note_line.next = self.old.q.val();
        // Requests move on.
        self.fresh.d.next = (self.state.q.val() == CHOOSE) | (self.state.q.val() == AWAIT);
        self.answered.d.next = self.serves.val() & !self.second.q.hint.val();
        self.answered_failed.d.next = false;
        self.answer.d.next = self.words.line.val();
        for j in 0..self._lines {
            if self.dropped[j].val() {
                self.answered.d.next = true;
                self.answered_failed.d.next = true;
            }
            if !self.serves.val() | self.second.q.hint.val() {
                self.answer.d.next = self.answer.q.val();
            }
            if self.store.val() & self.whole[j].val() {
                self.answer.d.next = self.stores[j].line.val();
            }
        }
        self.answer_word.d.next = self.second.q.at.val().get_bits::<3>(0);
        if self.moves.val() {
            self.first_valid.d.next = self.accepts.val();
            self.first.d.at.next = self.port.address.val().get_bits::<AT_BITS>(3);
            self.first.d.write.next = self.port.write.val();
            self.first.d.hint.next = self.port.hint.val();
            self.first.d.data.next = self.port.data.val();
            self.first.d.strobes.next = self.port.strobes.val();
            for j in 0..self._lines {
                self.first_whole[j].d.next = self.stores[j].whole.val();
                self.second_whole[j].d.next = self.first_whole[j].q.val();
            }
            self.second_valid.d.next = self.first_valid.q.val();
            CacheStageSource::join(&mut self.first.q, &mut self.second.d);
            self.way.d.next = self.tags.hits.val();
            self.found.d.next = self.tags.hits.val().any();
            self.pending.d.next = (self.tags.hits.val() & self.tags.pending.val()).any();
            self.waited.d.next = false;
        }
        self.candidates.next = self.modes.drains.val() & self.tags.valid.val();
        self.modes.clean.next = (self.state.q.val() == LOOK) & !self.candidates.val().any();
        if self.clears.val() {
            self.place.d.next = self.place.q.val() + 1;
            if self.place.q.val() == self._last_set {
                self.state.d.next = RUN.into();
            }
        } else if self.runs.val() {
            if self.stalls.val() {
                self.place.d.next = self.second_line.val();
                self.state.d.next = CHOOSE.into();
                if self.found.q.val() {
                    self.state.d.next = AWAIT.into();
                }
            } else if self.modes.steps.val() {
                self.place.d.next = self.modes.sweep.val();
                self.step.d.next = true;
                self.state.d.next = SCAN.into();
            }
        } else if self.state.q.val() == CHOOSE {
            self.way.d.next = self.replacement.victim.val();
            if self.fresh.q.val() {
                self.state.d.next = JUDGE.into();
            }
        } else if self.state.q.val() == JUDGE {
            // The way is free of a line that is fetched, the new line can be, and the old one can be written back.
            self.count.d.next = 0.into();
            self.old.d.next = self.tags.chosen_line.val();
            if !(self.tags.pending.val() & self.way.q.val()).any() & (self.step.q.val() | self.memory.fetch_room.val())
            {
                if (self.tags.valid.val() & self.dirty_ways.val() & self.way.q.val()).any() {
                    if self.memory.write_room.val() {
                        self.state.d.next = EVICT.into();
                    }
                } else {
                    self.state.d.next = TAKE.into();
                    if self.step.q.val() {
                        self.state.d.next = DROP.into();
                    }
                }
            }
        } else if self.evicts.val() {
            self.count.d.next = self.count.q.val() + 1;
            if self.count.q.val() == WORDS {
                self.state.d.next = TAKE.into();
                if self.step.q.val() {
                    self.state.d.next = DROP.into();
                }
            }
        } else if self.takes.val() {
            self.state.d.next = AWAIT.into();
            if self.second.q.hint.val() {
                self.second_valid.d.next = false;
                self.state.d.next = RESUME.into();
            }
            for j in 0..self._lines {
                if self.whole[j].val() {
                    self.found.d.next = true;
                    self.pending.d.next = false;
                    self.waited.d.next = true;
                    self.state.d.next = RESUME.into();
                }
            }
        } else if self.state.q.val() == AWAIT {
            self.found.d.next = true;
            self.pending.d.next = false;
            self.waited.d.next = true;
            if self.fresh.q.val() & !(self.tags.pending.val() & self.way.q.val()).any() {
                self.state.d.next = RESUME.into();
                if !(self.tags.valid.val() & self.way.q.val()).any() {
                    self.second_valid.d.next = false;
                    self.answered.d.next = true;
                    self.answered_failed.d.next = true;
                }
            }
        } else if self.state.q.val() == RESUME {
            self.state.d.next = RUN.into();
        } else if self.state.q.val() == SCAN {
            self.state.d.next = LOOK.into();
        } else if self.state.q.val() == LOOK {
            self.way.d.next = self.candidates.val() & (!self.candidates.val() + 1);
            self.state.d.next = JUDGE.into();
            if !self.candidates.val().any() {
                self.step.d.next = false;
                self.state.d.next = RUN.into();
            }
        } else if self.drops.val() {
            self.state.d.next = SCAN.into();
        } else if self.memory.idle.val() {
            self.place.d.next = 0.into();
            self.state.d.next = CLEAR.into();
        }
        if self.restart.val() {
            self.state.d.next = FLUSH.into();
            self.first_valid.d.next = false;
            self.second_valid.d.next = false;
            self.step.d.next = false;
            self.answered.d.next = false;
            self.answered_failed.d.next = false;
        }
        if self.clear_failed.val() {
            self.broken.d.next = false;
        }
        if self.memory.lost.val() {
            self.broken.d.next = true;
        }
        // What is shown.
        self.port.answer.next = self.answered.q.val();
        self.port.answer_failed.next = self.answered_failed.q.val();
        self.answer_line.next = self.answer.q.val();
        self.picked.next = 0.into();
        self.here.next = 1.into();
        self.here.next = self.here.val() << self.answer_word.q.val();
        for k in 0..LINE_WORDS {
            if self.here.val().get_bit(k) {
                self.picked.next = self.answer.q.val().get_bits::<64>(64 * k);
            }
        }
        self.port.answer_data.next = bits_to::<Word<64, 1>, Bits<64>>(self.picked.val());
        self.write_failed.next = self.broken.q.val();
        self.hit.next = self.serves.val() & !self.pending.q.val() & !self.waited.q.val();
        self.merged.next = self.runs.val() & self.second_valid.q.val() & self.found.q.val() & self.pending.q.val();
        for j in 0..self._lines {
            if self.dropped[j].val() {
                self.merged.next = false;
            }
        }
        self.miss.next = self.takes.val();
        self.written_back.next = self.memory.written.val();
    }

    fn timing(&self) -> Vec<TimingInfo> {
        describe(
            format!("duality_cache_{}x{}_{}{}", self._ways, self._last_set + 1, self._entries, lines_name(self._lines)),
            "The cache ways of a slice.",
            constants![
                CLEAR, RUN, CHOOSE, JUDGE, EVICT, TAKE, AWAIT, RESUME, SCAN, LOOK, DROP, FLUSH, WORDS, LINE_WORDS;
                self._ways, self._last_set, self._lines
            ],
        )
    }
}
