import type { Application } from '@patchbay/contract/applications'
import { applicationLengths as lengths } from '@patchbay/contract/applications/record'
import { trimmedText, z } from '../../../zod.ts'

/** Form values for the primary and the fallback speech settings of an application. */

export const speechValues = z.object({
  tts: z.object({
    vendor: z.string(),
    /** Label of the vendor's credential. Empty for the credential without a label. */
    label: z.string(),
    language: trimmedText(lengths.speech_synthesis_language),
    voice: trimmedText(lengths.speech_synthesis_voice),
  }),
  stt: z.object({ vendor: z.string(), label: z.string(), language: trimmedText(lengths.speech_recognizer_language) }),
})
export type SpeechValues = z.infer<typeof speechValues>
export type SpeechSet = 'primary' | 'fallback'

/**
 * Initial settings of a new application, and of a fallback without stored settings
 * (docs/reference/platform-api/speech.md#vendors-labels-and-defaults).
 */
export const usualSpeech: SpeechValues = {
  tts: { vendor: 'google', label: '', language: 'en-US', voice: 'en-US-Standard-C' },
  stt: { vendor: 'google', label: '', language: 'en-US' },
}

export interface Speech {
  primary: SpeechValues
  fallsBack: boolean
  fallback: SpeechValues
}

export const toSpeechValues = (application: Application): Speech => ({
  primary: {
    tts: {
      vendor: application.speech_synthesis_vendor,
      label: application.speech_synthesis_label ?? '',
      language: application.speech_synthesis_language,
      voice: application.speech_synthesis_voice ?? '',
    },
    stt: {
      vendor: application.speech_recognizer_vendor,
      label: application.speech_recognizer_label ?? '',
      language: application.speech_recognizer_language,
    },
  },
  fallsBack: Boolean(application.use_for_fallback_speech),
  fallback: {
    tts:
      application.fallback_speech_synthesis_vendor === null
        ? usualSpeech.tts
        : {
            vendor: application.fallback_speech_synthesis_vendor,
            label: application.fallback_speech_synthesis_label ?? '',
            language: application.fallback_speech_synthesis_language ?? '',
            voice: application.fallback_speech_synthesis_voice ?? '',
          },
    stt:
      application.fallback_speech_recognizer_vendor === null
        ? usualSpeech.stt
        : {
            vendor: application.fallback_speech_recognizer_vendor,
            label: application.fallback_speech_recognizer_label ?? '',
            language: application.fallback_speech_recognizer_language ?? '',
          },
  },
})

/** Returns the API members. The fallback members are null if the fallback is off. */
export const toSpeechPayload = ({ primary, fallsBack, fallback }: Speech) => {
  const fallbackMember = (text: string) => (fallsBack && text !== '' ? text : null)
  return {
    speech_synthesis_vendor: primary.tts.vendor,
    speech_synthesis_label: primary.tts.label || null,
    speech_synthesis_language: primary.tts.language,
    speech_synthesis_voice: primary.tts.voice || null,
    speech_recognizer_vendor: primary.stt.vendor,
    speech_recognizer_label: primary.stt.label || null,
    speech_recognizer_language: primary.stt.language,
    use_for_fallback_speech: fallsBack,
    fallback_speech_synthesis_vendor: fallbackMember(fallback.tts.vendor),
    fallback_speech_synthesis_label: fallbackMember(fallback.tts.label),
    fallback_speech_synthesis_language: fallbackMember(fallback.tts.language),
    fallback_speech_synthesis_voice: fallbackMember(fallback.tts.voice),
    fallback_speech_recognizer_vendor: fallbackMember(fallback.stt.vendor),
    fallback_speech_recognizer_label: fallbackMember(fallback.stt.label),
    fallback_speech_recognizer_language: fallbackMember(fallback.stt.language),
  }
}
