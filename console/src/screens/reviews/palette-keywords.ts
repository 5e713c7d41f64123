export const paletteKeywords = {
  '/internal/reviews': 'qa quality assurance scorecard rating annotate labels evaluation sample calls',
}
