export const paletteKeywords = {
  '/internal/users': 'people members roles permissions team invite',
  '/internal/users/add': 'invite member person',
}
