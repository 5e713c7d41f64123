import * as z from 'zod/mini'

// The small build: a form would load 17 kB more with the other. It looks whether it may compile its checks; the strict
// content policy forbids it, and each try is reported.
z.config({ jitless: true })

/** Text of a form that is not longer than what the server takes. */
export const maxText = (length: number) => z.maxLength(length, { error: `Use at most ${length} characters` })

/** A single-line text without surrounding whitespace. */
export const trimmedText = (max: number) => z.string().check(z.trim(), maxText(max))

/** A required single-line text without surrounding whitespace. */
export const requiredText = (max: number, error: string) =>
  z.string().check(z.trim(), z.minLength(1, { error }), maxText(max))

export { z }
