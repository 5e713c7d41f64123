import type { SpeechVendor } from '../speech.ts'
import { byListening } from './deepgram.ts'

/** The recognition of Deepgram for conversations; a key is a key of Deepgram. */
export const deepgramflux: SpeechVendor = { tryStt: byListening }
