//! What reads as a marker to people: characters by the shape of what is seen of them.

/// What is seen of the two markers, with rows of dashes as one.
pub(super) const SEEN: [&[u8]; 2] = [b"-BEGINSXSIGNATURE-", b"-ENDSXSIGNATURE-"];

/// How far something reads as a marker: by the shape of what is seen of it, and rows of dashes as one.
pub(super) struct Reading {
    /// The marker that it may be; the first one as long as both may.
    marker: &'static [u8],
    /// How much of it was read; nothing if it is none.
    at: Option<usize>,
    last: u8,
}

impl Reading {
    pub const fn new() -> Self {
        let [begin, _] = SEEN;
        Self { marker: begin, at: Some(0), last: OTHER }
    }

    pub fn goes_on(&self) -> bool {
        self.at.is_some()
    }

    pub fn is_marker(&self) -> bool {
        self.at == Some(self.marker.len())
    }

    pub fn read(&mut self, shape: u8) {
        if shape == b'-' && self.last == b'-' {
            return;
        }
        self.last = shape;
        if self.at == Some(1) && shape == b'E' {
            [_, self.marker] = SEEN; // both begin with a dash, and differ from there on
        }
        self.at = self.at.filter(|at| self.marker.get(*at) == Some(&shape)).map(|at| at.saturating_add(1));
    }
}

/// The shape of what looks like nothing in a marker.
const OTHER: u8 = b'?';

/// What a character looks like in a marker; nothing if it is not seen.
pub(super) fn shape(character: char) -> Option<u8> {
    match character {
        '\0'..='\x7f' => match u8::try_from(character).ok()? {
            0..=b' ' | 0x7f => None,
            byte => Some(ascii_shape(byte)),
        },
        _ if is_mark(character) || character.is_whitespace() => None,
        _ => Some(foreign_shape(character)),
    }
}

fn ascii_shape(byte: u8) -> u8 {
    match byte {
        b'-' | b'_' | b'~' | b'=' => b'-',
        b'8' => b'B',
        b'3' => b'E',
        b'6' => b'G',
        b'1' | b'l' | b'|' => b'I',
        b'5' | b'$' => b'S',
        byte if byte.is_ascii_alphabetic() => byte.to_ascii_uppercase(),
        _ => OTHER,
    }
}

/// Whether a character is put on the one before it.
fn is_mark(character: char) -> bool {
    matches!(character, '\u{300}'..='\u{36F}' | '\u{483}'..='\u{489}' | '\u{1AB0}'..='\u{1AFF}'
        | '\u{1DC0}'..='\u{1DFF}' | '\u{20D0}'..='\u{20FF}' | '\u{FE20}'..='\u{FE2F}'
        | '\u{591}'..='\u{5BD}' | '\u{64B}'..='\u{65F}' | '\u{1CD0}'..='\u{1CFF}' | '\u{302A}'..='\u{302F}'
        | '\u{3099}' | '\u{309A}' | '\u{A66F}'..='\u{A67D}' | '\u{A8E0}'..='\u{A8F1}'
        | '\u{1D165}'..='\u{1D169}' | '\u{1D16D}'..='\u{1D172}' | '\u{1D17B}'..='\u{1D182}')
}

/// Of characters of other scripts, and signs.
fn foreign_shape(character: char) -> u8 {
    match character {
        '\u{2010}'..='\u{2015}'
        | '\u{2043}'
        | '\u{2212}'
        | '\u{2500}'
        | '\u{2501}'
        | '\u{2E3A}'
        | '\u{2E3B}' => b'-',
        '\u{AF}' | '\u{2CD}' | '\u{1173}' | '\u{3161}' | '\u{4E00}' | '\u{30FC}' | '\u{FE58}'
        | '\u{FE63}' => b'-',
        '\u{FF0D}'
        | '\u{FF3F}'
        | '\u{FF5E}'
        | '\u{FF1D}'
        | '\u{2796}'
        | '\u{2E0F}'..='\u{2E1A}'
        | '\u{2504}' => b'-',
        '\u{2505}'
        | '\u{2508}'
        | '\u{2509}'
        | '\u{254C}'
        | '\u{254D}'
        | '\u{2550}'
        | '\u{FE4D}'..='\u{FE4F}'
        | '\u{5BE}'
        | '\u{207B}'
        | '\u{208B}' => b'-',
        'ᵃ' => b'A',
        'ᵇ' => b'B',
        'ᵈ' => b'D',
        'ᵉ' => b'E',
        'ᵍ' => b'G',
        'ⁱ' | 'ᶦ' => b'I',
        'ⁿ' | 'ᶰ' => b'N',
        'ʳ' => b'R',
        'ˢ' => b'S',
        'ᵗ' => b'T',
        'ᵘ' => b'U',
        'ˣ' => b'X',
        'А' | 'а' | 'Α' | 'α' | 'Ꭺ' | 'ꓮ' | 'ᴀ' | 'ᴬ' | 'À'..='Å' | 'à'..='å' | 'Ā'..='ą' | 'Ⱥ' => {
            b'A'
        }
        'В' | 'в' | 'Β' | 'β' | 'Ᏼ' | 'ꓐ' | 'ʙ' | 'ᴮ' | 'ᴃ' | 'Ɓ' | 'Ƀ' | 'ß' => b'B',
        'Ⅾ' | 'ⅾ' | 'Ꭰ' | 'ꓓ' | 'ԁ' | 'ᴅ' | 'ᴰ' | 'ᴆ' | 'Ð' | 'Ď'..='đ' | 'Ɖ' | 'Ɗ' => {
            b'D'
        }
        'Е' | 'е' | 'Ε' | 'ε' | 'Ꭼ' | 'ꓰ' | 'ᴇ' | 'ᴱ' | 'Ѐ' | 'Ё' | 'ѐ' | 'ё' | 'З' | 'з' | 'Έ' => {
            b'E'
        }
        'È'..='Ë' | 'è'..='ë' | 'Ē'..='ě' | 'Ɛ' | 'Ɇ' | '∈' | 'Є' => b'E',
        'Ԍ' | 'Ꮐ' | 'ꓖ' | 'ɢ' | 'ᴳ' | 'Ĝ'..='ģ' | 'Ɠ' | 'Ǥ' | 'ɡ' => b'G',
        'І' | 'і' | 'Ӏ' | 'ӏ' | 'Ι' | 'ι' | 'Ⅰ' | 'ⅰ' | 'ꓲ' | 'ǀ' | 'ɪ' | 'ᴵ' | 'Ì'..='Ï' | 'ì'..='ï' => {
            b'I'
        }
        'Ĩ'..='ı' | 'Ї' | 'ї' | 'Ί' | 'Ϊ' | 'Ɨ' | '¡' | '¦' | '∣' | '│' | '｜' | 'ⵏ' => b'I',
        'Ν' | 'ν' | 'ꓠ' | 'ɴ' | 'ᴺ' | 'Ñ' | 'ñ' | 'Ń'..='ŋ' | 'Ɲ' | 'И' | 'и' => b'N',
        'Ꭱ' | 'ꓣ' | 'ʀ' | 'ᴿ' | 'Ŕ'..='ř' | 'Ɍ' | 'Я' | 'я' | 'Ʀ' => b'R',
        'Ѕ' | 'ѕ' | 'Տ' | 'Ꮪ' | 'ꓢ' | 'ꜱ' | 'Ś'..='š' | 'Ș' | 'ș' | '§' => b'S',
        'Т' | 'т' | 'Τ' | 'τ' | 'Ꭲ' | 'ꓔ' | 'ᴛ' | 'ᵀ' | 'Ţ'..='ŧ' | 'Ț' | 'ț' | '┬' => b'T',
        'Ս' | 'ꓴ' | 'ᴜ' | 'ᵁ' | 'Ù'..='Ü' | 'ù'..='ü' | 'Ũ'..='ų' | 'υ' | '∪' => b'U',
        'Х' | 'х' | 'Χ' | 'χ' | 'Ⅹ' | 'ⅹ' | 'ꓫ' | '×' | '✕' => b'X',
        '\u{FF21}'..='\u{FF3A}' => letter(character, '\u{FF21}'),
        '\u{FF41}'..='\u{FF5A}' => letter(character, '\u{FF41}'),
        '\u{24B6}'..='\u{24E9}' => letter(character, '\u{24B6}'), // in circles, capital and small
        '\u{1D400}'..='\u{1D6A3}' => letter(character, '\u{1D400}'), // capital and small letters by turns
        '\u{1F110}'..='\u{1F129}' => letter(character, '\u{1F110}'),
        '\u{1F130}'..='\u{1F149}' => letter(character, '\u{1F130}'),
        '\u{1F150}'..='\u{1F169}' => letter(character, '\u{1F150}'),
        '\u{1F170}'..='\u{1F189}' => letter(character, '\u{1F170}'),
        '\u{1F1E6}'..='\u{1F1FF}' => letter(character, '\u{1F1E6}'),
        _ => OTHER,
    }
}

/// The letter of an alphabet that begins at `first`, or of one of those that follow it.
fn letter(character: char, first: char) -> u8 {
    let at = u32::from(character).saturating_sub(u32::from(first)).checked_rem(26).unwrap_or_default();
    u8::try_from(at).map_or(OTHER, |at| b'A'.saturating_add(at))
}
