export const paletteKeywords = {
  '/internal/settings':
    'api keys tokens password policy sbc addresses domain names system information limits tts cache',
}
