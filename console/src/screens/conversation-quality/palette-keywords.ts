export const paletteKeywords = {
  '/internal/conversation-quality': 'voice ai agents bots latency response time interruptions barge-in analytics',
}
