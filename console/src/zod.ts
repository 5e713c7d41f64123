import { z } from 'zod'

// zod looks whether it may compile its checks; the strict content policy forbids it, and each try is reported.
z.config({ jitless: true })

/** Text of a form that is not longer than what the server takes. */
export const atMost = (length: number) => z.maxLength(length, { error: `Use at most ${length} characters` })

export { z }
