import { config } from '../api/configuration.ts'
import { hostedPages } from './hosted-pages.ts'
import { linkPages } from './link-pages.ts'
import type { Page } from './pages.ts'

/** The code that only the console of a hosted installation, and links with a fragment, load. */
export { keepDocumentsApart } from './payment-isolation.ts'

/** Loads after the configuration, which says whether the installation is a hosted one. */
export const pages: readonly Page[] = [...(config().hosting ? hostedPages : []), ...linkPages]
