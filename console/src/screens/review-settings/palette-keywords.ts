export const paletteKeywords = {
  '/internal/reviews/settings': 'qa scorecard criteria labels llm judge openai evaluation',
}
