import { maskCredentialsInText } from '@patchbay/rules/masking/masking'

/** Removes from texts what a language model must not receive, and what it could take for a part of the prompt. Pure. */

/** Longer messages are cut, so that the expressions need a bounded time. */
const maxMessageLength = 500

interface Removal {
  expression: RegExp
  replacement: string
}

/** The order matters: a URL can contain an address, and a header can contain a token. */
const removals: readonly Removal[] = [
  // Paths of webhooks can be secrets, and queries contain keys.
  // unchecked-regexp: runs on at most 500 characters
  { expression: /\b([a-z][a-z\d+.-]{1,15}:\/\/[^/?#\s"'<>]{1,253})[/?#][^\s"'<>]{0,500}/gi, replacement: '$1/…' },
  {
    expression: /\b(?:sips?|tel):[^\s"'<>;,]{1,253}/gi,
    replacement: '(address)',
  },
  // unchecked-regexp: runs on at most 500 characters
  { expression: /[\w.+-]{1,64}@[\w.-]{1,253}/g, replacement: '(address)' },
  { expression: /\b(?:bearer|basic|digest|token)\s{1,3}[\w.~+/=:-]{6,500}/gi, replacement: '(credential)' },
  {
    expression:
      // unchecked-regexp: runs on at most 500 characters
      /([\w-]{0,40}(?:authorization|password|passwd|secret|token|api[_-]?key|credential|signature|cookie)s?)(["']?\s{0,3}[=:]\s{0,3})(?!\()(?:"[^"]{0,500}"|'[^']{0,500}'|[^\s"',;&)}\]]{1,500})/gi,
    replacement: '$1$2(credential)',
  },
  {
    expression: /\b(?:[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}|[a-z]{2}_?[\da-f]{32}|[\da-f]{16,64})\b/gi,
    replacement: '(id)',
  },
  { expression: /\b(?:sk|pk|rk|ak|xox[a-z]|gh[a-z]|AKIA)[-_][\w-]{6,500}/g, replacement: '(credential)' },
  {
    // unchecked-regexp: runs on at most 500 characters
    expression: /(?<![\w.~+/=-])(?=[a-z.~+/=_-]{0,200}\d)(?=[\d.~+/=_-]{0,200}[a-z])[\w.~+/=-]{20,500}/gi,
    replacement: '(credential)',
  },
  // Phone numbers in any spelling. Times and dates are shorter.
  {
    // unchecked-regexp: runs on at most 500 characters
    expression: /(?<![\p{L}\p{N}])\+?\(?\p{Nd}(?:[\s().\-–/]{0,3}\p{Nd}){6,18}(?![\p{L}\p{N}])/gu,
    replacement: '(number)',
  },
]

/**
 * Returns an error message without credentials, paths and queries of URLs, addresses, SIDs, and phone numbers. They are
 * replaced by what they were.
 */
export const removePrivateParts = (message: string): string =>
  removals.reduce(
    (text, { expression, replacement }) => text.replaceAll(expression, replacement),
    maskCredentialsInText(message.slice(0, maxMessageLength)),
  )

const escapes: Readonly<Record<string, string>> = { '<': '‹', '>': '›', '[': '(', ']': ')' }

/**
 * Replaces the characters that mark the parts of a prompt, except those of labels.
 * @param maskLabels the labels of masking, with their brackets
 */
export const escapeDelimiters = (text: string, maskLabels: readonly string[] = []): string =>
  text.replaceAll(/[<>[\]]/g, (character, at: number) => {
    const isOfLabel = maskLabels.some(
      (label) =>
        (character === '[' && text.startsWith(label, at)) ||
        (character === ']' && text.startsWith(label, at - label.length + 1)),
    )
    return isOfLabel ? character : (escapes[character] ?? character)
  })
