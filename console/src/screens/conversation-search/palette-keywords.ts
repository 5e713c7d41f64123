export const paletteKeywords = {
  '/internal/conversation-search': 'transcripts full text words phrases said keyword find',
}
