export const paletteKeywords = {
  '/internal/speech-services': 'tts stt asr voices synthesis recognition transcription vendors credentials',
  '/internal/speech-services/add': 'tts stt credential vendor key',
}
