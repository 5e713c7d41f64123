/** Says what ended a speech recognition, by the values of `stt.resolve` that the platform writes. Pure. */

export type RecognitionEnd = 'timeout' | 'keys' | 'failure' | 'stop'

const ends: ReadonlyMap<string, RecognitionEnd> = new Map([
  ['timeout', 'timeout'],
  ['error', 'failure'],
  ['stt-error', 'failure'],
  ['connection failure', 'failure'],
  ['killed', 'stop'],
])

/** Returns what ended a recognition without its speech, or undefined if it is unknown. */
export const findRecognitionEnd = (resolve: string | undefined): RecognitionEnd | undefined =>
  resolve?.startsWith('dtmf') ? 'keys' : ends.get(resolve ?? '')
