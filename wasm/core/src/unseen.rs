//! Characters that people do not see (Unicode: Bidi_Control, Default_Ignorable_Code_Point).

/// What such a character does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unseen {
    /// Changes the direction of what is read.
    Direction,
    /// Takes no room.
    NoWidth,
    /// Selects a variation of the character before it. Emoji have them; in a file's name they are let be.
    Selector,
    /// Is a tag, a variation or unassigned.
    Tag,
    /// Is shown as room, and is no white space. In a file's name it is let be.
    Blank,
}

/// What a character does that is not seen; nothing of all others.
pub fn unseen(character: char) -> Option<Unseen> {
    match character {
        '\0'..='\u{AC}' => None,
        '\u{61C}' | '\u{200E}' | '\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}' => {
            Some(Unseen::Direction)
        }
        '\u{AD}' | '\u{34F}' | '\u{115F}' | '\u{1160}' | '\u{17B4}' | '\u{17B5}' => Some(Unseen::NoWidth),
        '\u{180B}'..='\u{180F}' | '\u{200B}'..='\u{200D}' | '\u{2060}'..='\u{2065}' => Some(Unseen::NoWidth),
        '\u{206A}'..='\u{206F}' | '\u{3164}' | '\u{FEFF}' | '\u{FFA0}' => Some(Unseen::NoWidth),
        '\u{FFF0}'..='\u{FFFB}' | '\u{13430}'..='\u{1343F}' | '\u{16FE4}' | '\u{1BCA0}'..='\u{1BCA3}' => {
            Some(Unseen::NoWidth)
        }
        '\u{1D173}'..='\u{1D17A}' => Some(Unseen::NoWidth),
        '\u{FE00}'..='\u{FE0F}' => Some(Unseen::Selector),
        '\u{2800}' | '\u{1D159}' => Some(Unseen::Blank),
        '\u{E0000}'..='\u{E0FFF}' => Some(Unseen::Tag),
        _ => None,
    }
}

/// Whether a character is not seen, or ends a line: it has no place in a name.
pub fn is_hidden(character: char) -> bool {
    matches!(character, '\u{2028}' | '\u{2029}')
        || matches!(unseen(character), Some(Unseen::Direction | Unseen::NoWidth | Unseen::Tag))
}
