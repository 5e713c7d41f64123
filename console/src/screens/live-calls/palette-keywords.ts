export const paletteKeywords = {
  '/internal/live-calls': 'active calls in progress ongoing hang up transfer',
}
