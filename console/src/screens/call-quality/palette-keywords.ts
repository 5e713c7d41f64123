export const paletteKeywords = {
  '/internal/call-quality': 'statistics analytics answer rate asr pdd metrics reports',
}
