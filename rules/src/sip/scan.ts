/**
 * Scanners for the values of SIP headers (RFC 3261 §25.1). Each takes time linear in the length of its input, because
 * the input is untrusted and regular expressions for quoted strings and brackets backtrack. Pure.
 */

/** Returns the offset of the quote that closes the string opened at `open`, or -1. A backslash escapes a character. */
const closingQuote = (text: string, open: number): number => {
  for (let at = open + 1; at < text.length; at += 1) {
    if (text[at] === '\\') at += 1
    else if (text[at] === '"') return at
  }
  return -1
}

/** Returns the text without its quoted strings. A quote that is never closed stays. */
const withoutQuotedStrings = (text: string): string => {
  let unquoted = ''
  let from = 0
  for (let open = text.indexOf('"'); open >= 0; open = text.indexOf('"', from)) {
    const close = closingQuote(text, open)
    // If this quote is not closed, no later one is: all of those are escaped.
    if (close < 0) break
    unquoted += text.slice(from, open)
    from = close + 1
  }
  return unquoted + text.slice(from)
}

/** Returns the offsets of the first pair of angle brackets, or undefined. */
const brackets = (text: string): { open: number; close: number } | undefined => {
  const open = text.indexOf('<')
  const close = open < 0 ? -1 : text.indexOf('>', open)
  return close < 0 ? undefined : { open, close }
}

/**
 * Returns the URI in the angle brackets of a name-addr, or the whole value without quoted strings if there are no
 * brackets.
 */
export const firstUriIn = (address: string): string => {
  const bare = withoutQuotedStrings(address)
  const pair = brackets(bare)
  return pair === undefined ? bare : bare.slice(pair.open + 1, pair.close)
}

/** Returns the header parameters of a name-addr or addr-spec: what follows the URI. */
export const scanAddressParameters = (address: string): string => {
  const bare = withoutQuotedStrings(address)
  const pair = brackets(bare)
  const rest = pair === undefined ? bare : bare.slice(pair.close + 1)
  const first = rest.indexOf(';')
  return first < 0 ? '' : rest.slice(first)
}

const isTokenCharacter = (character: string): boolean => /^[\w.-]$/.test(character)

const isBlank = (character: string): boolean => character === ' ' || character === '\t'

/** Returns the first offset, from `at` on, of a character that does not satisfy the predicate. */
const skipWhile = (text: string, at: number, predicate: (character: string) => boolean): number => {
  let end = at
  while (end < text.length && predicate(text.charAt(end))) end += 1
  return end
}

const isPlainValue = (character: string): boolean => !/^[\s;,"]$/.test(character)

/** Returns the value that begins at `at`, quoted or not, and the offset of what follows it. */
const valueAt = (text: string, at: number): { value: string; end: number } => {
  const close = text[at] === '"' ? closingQuote(text, at) : -1
  if (close >= 0) return { value: text.slice(at + 1, close), end: close + 1 }
  const end = skipWhile(text, at, isPlainValue)
  return { value: text.slice(at, end), end }
}

/**
 * Returns the value of the first parameter `name=value` of a header value, or undefined. `name` is in lower case. A
 * quoted value is returned without its quotes, with its escapes. Quoted strings and URIs in angle brackets are skipped.
 */
export const scanParameter = (text: string, name: string): string | undefined => {
  for (let at = 0; at < text.length; ) {
    const skipTo = text[at] === '"' ? closingQuote(text, at) : text[at] === '<' ? text.indexOf('>', at) : at
    if (skipTo < 0) return undefined
    const nameEnd = skipTo > at ? at : skipWhile(text, at, isTokenCharacter)
    const equals = skipWhile(text, nameEnd, isBlank)
    if (nameEnd === at || text[equals] !== '=') {
      at = Math.max(equals, skipTo + 1)
      continue
    }
    const parsedValue = valueAt(text, skipWhile(text, equals + 1, isBlank))
    const isEmpty = parsedValue.value === '' && text[parsedValue.end - 1] !== '"'
    if (!isEmpty && text.slice(at, nameEnd).toLowerCase() === name) return parsedValue.value
    at = parsedValue.end
  }
  return undefined
}

/**
 * Returns the values of a header that has several, separated by commas (RFC 3261 §7.3.1), without blanks around them and
 * without empty ones. Commas in quoted strings and in angle brackets do not separate.
 */
export const splitValues = (text: string): string[] => {
  const values: string[] = []
  let from = 0
  // Without a closing bracket, no later search for one succeeds either.
  let canClose = true
  for (let at = 0; at < text.length; at += 1) {
    if (text[at] === '"') {
      const close = closingQuote(text, at)
      // A quote that is never closed contains the rest of the header.
      if (close < 0) break
      at = close
    } else if (text[at] === '<' && canClose) {
      const close = text.indexOf('>', at)
      canClose = close >= 0
      at = Math.max(at, close)
    } else if (text[at] === ',') {
      values.push(text.slice(from, at).trim())
      from = at + 1
    }
  }
  values.push(text.slice(from).trim())
  return values.filter((value) => value !== '')
}

/** Returns the content of a quoted string without its escapes (RFC 3261 §25.1). */
export const unescapeQuoted = (content: string): string => content.replace(/\\(.)/g, '$1')

/** Returns the content of the first quoted string, without its escapes, or undefined. */
export const firstQuotedString = (text: string): string | undefined => {
  const open = text.indexOf('"')
  const close = open < 0 ? -1 : closingQuote(text, open)
  return close < 0 ? undefined : unescapeQuoted(text.slice(open + 1, close))
}

/**
 * Returns the text of the first comment, `(in a meeting)`, without its parentheses and escapes, and what follows it.
 * Comments can contain comments (RFC 3261 §25.1). A comment that is never closed contains the rest.
 */
export const takeComment = (text: string): { comment: string | undefined; rest: string } => {
  const open = text.indexOf('(')
  if (open < 0) return { comment: undefined, rest: text }
  let depth = 1
  let at = open + 1
  for (; at < text.length && depth > 0; at += 1) {
    if (text[at] === '\\') at += 1
    else if (text[at] === '(') depth += 1
    else if (text[at] === ')') depth -= 1
  }
  const comment = unescapeQuoted(text.slice(open + 1, depth === 0 ? at - 1 : at)).trim()
  return { comment: comment || undefined, rest: `${text.slice(0, open)}${text.slice(at)}` }
}
