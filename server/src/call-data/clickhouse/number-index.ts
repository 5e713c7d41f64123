/**
 * The text index of the calling and called numbers of calls. Its tokens are sequences of three characters. ClickHouse
 * finds the calls with all sequences of a text by the index, and reads only the granules that contain such calls.
 */

/** Length of the tokens. Longer ones make inserts slower: they would be more, and fewer calls share them. */
const tokenLength = 3

/** Separates the two numbers. A text with this character could match the end of one and the start of the other. */
const separator = '\n'

const numbers = String.raw`concat(ifNull(from, ''), '\n', ifNull(to, ''))`

/** Adds the index. ClickHouse computes it for existing calls in the background, and reads their rows until then. */
export const addNumberIndex = [
  `ALTER TABLE calls ADD INDEX IF NOT EXISTS numbers ${numbers} TYPE text(tokenizer = ngrams(${tokenLength}))`,
  'ALTER TABLE calls MATERIALIZE INDEX numbers SETTINGS mutations_sync = 0',
]

/** Returns whether the index can find a text. */
export const isIndexed = (text: string): boolean => Array.from(text).length >= tokenLength && !text.includes(separator)

/**
 * Returns the condition that a number contains the text of a parameter. The result does not depend on the index:
 * `hasAllTokens` would split numbers into other tokens where there is none.
 * @param parameter name of the parameter with the value of `toPattern`
 */
export const containsPattern = (parameter: string): string => `${numbers} LIKE {${parameter}:String}`

export const toPattern = (text: string): string => `%${text.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`
