import * as z from 'zod/mini'

// The small build saves 17 kB in every form. Zod's compiled checks are disabled, because the content security policy
// forbids `eval` and every attempt is reported.
z.config({ jitless: true })

/** Returns a schema for a text that is not longer than the server accepts. */
export const maxText = (length: number) => z.maxLength(length, { error: `Use at most ${length} characters` })

/** A single-line text without surrounding whitespace. */
export const trimmedText = (max: number) => z.string().check(z.trim(), maxText(max))

/** A required single-line text without surrounding whitespace. */
export const requiredText = (max: number, error: string) =>
  z.string().check(z.trim(), z.minLength(1, { error }), maxText(max))

export { z }
