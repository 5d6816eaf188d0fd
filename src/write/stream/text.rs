//! Checks text that arrives in pieces, for the scanner.

/// Checks that a text is UTF-8 up to its first NUL. Characters may be split between pieces.
#[derive(Clone, Debug, Default)]
pub(super) struct TextCheck {
    /// The beginning of a character whose last bytes have not arrived.
    partial: [u8; 4],
    partial_len: usize,
    has_ended: bool,
}

impl TextCheck {
    /// Checks the next piece. The error is the start of the ill-formed sequence, counted from the
    /// start of the piece. It is negative if the sequence started in an earlier piece.
    pub(super) fn push(&mut self, piece: &[u8]) -> Result<(), isize> {
        if self.has_ended {
            return Ok(());
        }
        let text = crate::value::wire::content::until_nul(piece);
        self.push_text(text)?;
        if text.len() < piece.len() {
            self.has_ended = true;
            return self.finish().map_err(|before| before.saturating_add_unsigned(text.len()));
        }
        Ok(())
    }

    /// Checks that no character is cut off at the end. The error is the start of that character,
    /// counted back from the end.
    pub(super) fn finish(&self) -> Result<(), isize> {
        match self.partial_len {
            0 => Ok(()),
            cut => Err(0isize.saturating_sub_unsigned(cut)),
        }
    }

    fn push_text(&mut self, mut text: &[u8]) -> Result<(), isize> {
        let mut used = 0;
        while self.partial_len > 0 {
            let Some((first, rest)) = text.split_first() else { return Ok(()) };
            let started = isize::try_from(used)
                .unwrap_or(isize::MAX)
                .saturating_sub_unsigned(self.partial_len);
            if let Some(place) = self.partial.get_mut(self.partial_len) {
                *place = *first;
            }
            self.partial_len = self.partial_len.saturating_add(1);
            match core::str::from_utf8(self.partial.get(..self.partial_len).unwrap_or(&[])) {
                Ok(_) => self.partial_len = 0,
                Err(error) if error.error_len().is_some() => return Err(started),
                Err(_) => {}
            }
            text = rest;
            used = usize::saturating_add(used, 1);
        }
        let Err(error) = core::str::from_utf8(text) else { return Ok(()) };
        let valid = error.valid_up_to();
        let cut = text.get(valid..).unwrap_or(&[]);
        match (error.error_len(), self.partial.get_mut(..cut.len())) {
            (None, Some(partial)) => {
                partial.copy_from_slice(cut);
                self.partial_len = cut.len();
                Ok(())
            }
            _ => Err(isize::try_from(used.saturating_add(valid)).unwrap_or(isize::MAX)),
        }
    }
}
