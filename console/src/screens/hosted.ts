import type { Screen } from '../page/screen.ts'

/** The screens of hosted installations, of which others load nothing. */
export const hostedScreens: readonly Screen[] = []
