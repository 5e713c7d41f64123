import { z } from 'zod'

// zod looks whether it may compile its checks; the strict content policy forbids it, and each try is reported.
z.config({ jitless: true })

export { z }
