import { canonicalize, hex, must, outcome, verify } from './core.mjs'
import { anyMessage } from './keys.mjs'

/** Codes of the reader; every other one says that the text was read. */
const readerCodes = ['NotJson', 'DuplicateKey', 'LossyNumber', 'LimitExceeded']

const escaped = (text) => JSON.stringify(text).slice(1, -1)
const nested = (depth, inner = '') => '['.repeat(depth) + inner + ']'.repeat(depth)
/** A text inside five objects. */
const deep = (text) => `${'{"a":'.repeat(5)}${text}${'}'.repeat(5)}`

const accepted = {
  'white space around and between': ' \t\r\n{ "b" : [ 1 , true , null ] ,\n"a" : "" } \n',
  'empty object': '{}',
  'empty array': '[]',
  'empty name': '{"":0}',
  'literals at the top': 'null',
  'string at the top': '"text"',
  'number at the top': '-0',
  'order by UTF-16 code units (RFC 8785 section 3.2.3)':
    '{"\\u20ac":"Euro Sign","\\r":"Carriage Return","\\ufb33":"Hebrew Letter Dalet With Dagesh","1":"One","\\ud83d\\ude00":"Emoji: Grinning Face","\\u0080":"Control","\\u00f6":"Latin Small Letter O With Diaeresis"}',
  'sample of RFC 8785 section 3.2.2':
    '{"numbers":[333333333.33333329,1E30,4.50,2e-3,0.000000000000000000000000001],"string":"\\u20ac$\\u000F\\u000aA\'\\u0042\\u0022\\u005c\\\\\\"\\/","literals":[null,true,false]}',
  'every control character': `"${Array.from({ length: 32 }, (_, at) => `\\u${at.toString(16).padStart(4, '0')}`).join('')}"`,
  'DEL and C1 controls stand for themselves': '"\u007f\u0080\u009f"',
  'line separators stand for themselves': '"\u2028\u2029"',
  'surrogate pair, escaped and not': '["\\ud83d\\ude00","😀"]',
  'a byte order mark inside a string': '"\ufeff"',
  noncharacters: '"\ufffe\uffff"',
  'T17 precomposed and decomposed are two names': '{"é":1,"e\u0301":2}',
  'T15 __proto__ is a name like any other': '{"__proto__":{"polluted":true},"constructor":{"prototype":1}}',
  'T13 1.0': '1.0',
  'T13 1e2': '1e2',
  'T13 1e30': '1e30',
  'T13 largest integer below 2^53': '9007199254740991',
  'T13 smallest integer above -2^53': '-9007199254740991',
  'T13 10^21': '1e21',
  'T13 17 significant digits': '0.30000000000000004',
  'T13 trailing zeros are not significant': '1.00000000000000000000000000',
  'T13 zero in many ways': '[0,-0,0.0,-0.0e5,0e-400,0e999]',
  'T13 largest double': '1.7976931348623157e308',
  'T13 smallest double': '5e-324',
  'T13 smallest normal double': '2.2250738585072014e-308',
  'T13 exponent boundaries of the format': '[1e-7,1e-6,123456789012345680000e1,0.000001,1E+22]',
  'numbers of RFC 8785 appendix B':
    '[0,-0,5e-324,-5e-324,1.7976931348623157e308,-1.7976931348623157e308,9.999999999999997e22,1e23,1.0000000000000001e23,1e21,9.999999999999997e-7,0.000001,333333333.3333332,333333333.33333325,333333333.3333333,333333333.3333334,333333333.33333343,-0.0000033333333333333333,1424953923781206.2]',
  'depth 128': nested(128),
}

const refused = {
  NotJson: {
    nothing: '',
    'white space': ' ',
    'T14 byte order mark before': '\ufeff{}',
    'T14 text after': '{}{}',
    'T14 NUL after': '{}\0',
    'T14 comma after': '{},',
    'form feed as white space': '\f{}',
    'no-break space as white space': '\u00a0{}',
    comment: '{}/**/',
    'trailing comma in an array': '[1,]',
    'trailing comma in an object': '{"a":1,}',
    'missing value': '{"a":}',
    'missing colon': '{"a" 1}',
    'name without quotes': '{a:1}',
    'single quotes': "{'a':1}",
    'unclosed string': '"abc',
    'unclosed array': '[1',
    'control character in a string': '"\u0001"',
    'tab in a string': '"\t"',
    'unknown escape': '"\\x41"',
    'short escape': '"\\u12"',
    'lone high surrogate': '"\\ud800"',
    'lone low surrogate': '"\\udc00"',
    'surrogates the wrong way round': '"\\udc00\\ud800"',
    'high surrogate before another escape': '"\\ud800\\u0041"',
    'lone surrogate in a name': '{"\\udfff":1}',
    NaN: 'NaN',
    Infinity: '-Infinity',
    undefined: 'undefined',
    True: 'True',
    'leading zero': '01',
    'leading plus': '+1',
    'no digit before the point': '.5',
    'no digit after the point': '1.',
    'empty exponent': '1e',
    hexadecimal: '0x10',
    'separator in a number': '1_000',
    'two signs': '--1',
  },
  DuplicateKey: {
    'T12 the same name twice': '{"a":1,"a":1}',
    'T12 the same name, once escaped': '{"a":1,"\\u0061":2}',
    'T12 the same name twice at depth 5': deep('{"a":1,"a":1}'),
    'T12 the same name, once escaped, at depth 5': deep('{"a":1,"\\u0061":2}'),
    'T12 a surrogate pair, once escaped': '{"😀":1,"\\ud83d\\ude00":1}',
    'T12 the empty name twice': '{"":1,"":2}',
    'T12 __proto__ twice': '{"__proto__":1,"__proto__":2}',
  },
  LossyNumber: {
    'T13 2^53': '9007199254740992',
    'T13 2^53 + 1': '9007199254740993',
    'T13 -2^53': '-9007199254740992',
    'T13 2^53 as a fraction': '9007199254740992.0',
    'T13 2^53 with an exponent': '9.007199254740992e15',
    'T13 1e20': '1e20',
    'T13 largest integer written in digits': '999999999999999900000',
    'T13 18 significant digits': '0.123456789012345678',
    'T13 overflow': '1e400',
    'T13 negative overflow': '-1e309',
    'T13 underflow': '1e-400',
    'T13 just below half of the smallest double': '2e-324',
    'T13 inside an object': '{"a":[1e400]}',
  },
  LimitExceeded: { 'T33 depth 129': nested(129), 'T33 depth 129 of objects': '{"a":'.repeat(129) },
}

/** Bytes that are no text, in hex. */
const noText = {
  'lone continuation byte': '2280 22',
  'overlong slash': '22c0af22',
  'overlong NUL': '22c08022',
  'surrogate in UTF-8': '22eda08022',
  'beyond U+10FFFF': '22f490808022',
  'cut off in a character': '22e282',
  'UTF-16': '7b007d00',
  'byte order mark': 'efbbbf7b7d',
}

const prefix = '{"$schema":"urn:sx-agent:schemas/header/v1/header.schema.json","content":'

/** A text as the core writes it: the `content` of a document that is made of it. */
function canonicalOf(text) {
  const { raw } = anyMessage(text)
  return raw.slice(prefix.length, raw.lastIndexOf(',"sxId":"'))
}

function accept([name, text]) {
  const { code } = verify(text)
  must(!readerCodes.includes(code), `${name} is accepted, but ${code}`)
  const canonical = canonicalize(JSON.parse(text))
  // What fills a whole document leaves no room for a header around it.
  const room = !name.startsWith('depth')
  must(!room || canonicalOf(text) === canonical, `${name} is ${room && canonicalOf(text)}`)
  return { name, text, canonical }
}

function refuse(code, [name, text]) {
  must(verify(text).code === code, `${name} is ${verify(text).code}`)
  if (code !== 'LimitExceeded') must(outcome(() => canonicalOf(text)).code === code, `${escaped(text)} for signing`)
  return { name, text, code }
}

export const json = () => ({
  description: 'What the reader of signed JSON accepts, its canonical form (RFC 8785), and what it refuses.',
  about: [
    '`accepted`: `text` is read, and `canonical` is the only way to write its value.',
    '`refused`: `text` is refused with `code`, whether it is to be signed or verified.',
    '`refusedBytes`: the bytes `hex` are not UTF-8 without a byte order mark, and are refused with `code`.',
    'Names that begin with T and a number are attack cases of the project.',
  ],
  accepted: Object.entries(accepted).map(accept),
  refused: Object.entries(refused).flatMap(([code, texts]) => Object.entries(texts).map((one) => refuse(code, one))),
  refusedBytes: Object.entries(noText).map(([name, bytes]) => ({
    name,
    hex: hex(Buffer.from(bytes.replace(' ', ''), 'hex')),
    code: 'NotJson',
  })),
})
