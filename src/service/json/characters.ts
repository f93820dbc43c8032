/** The characters of JSON's grammar (RFC 8259, 2) that scanners compare, as bytes of UTF-8. */
export const TAB = 9
export const LINE_FEED = 10
export const CARRIAGE_RETURN = 13
export const SPACE = 32
export const QUOTE = 34
export const COMMA = 44
export const MINUS = 45
export const POINT = 46
export const ZERO = 48
export const NINE = 57
export const COLON = 58
export const OPENING_BRACKET = 91
export const BACKSLASH = 92
export const CLOSING_BRACKET = 93
export const OPENING_BRACE = 123
export const CLOSING_BRACE = 125
