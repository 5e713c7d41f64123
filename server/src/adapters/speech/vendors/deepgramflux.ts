import type { SpeechVendor } from '../speech.ts'
import { testByRecognition } from './deepgram.ts'

/** Deepgram Flux, recognition for conversations. It uses the keys of Deepgram. */
export const deepgramflux: SpeechVendor = { testStt: testByRecognition }
