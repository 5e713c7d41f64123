import { config } from '../api/configuration.ts'
import { hostedPages } from './hosted-pages.ts'
import { linkPages } from './link-pages.ts'
import type { Page } from './pages.ts'

/** The code that only the console of a hosted installation, and links with a fragment, load. */
export { keepDocumentsApart } from './payment-isolation.ts'

/** Returns whether a page needs no session, so that it stays open when the session of its user ends. */
export const isLinkPage = ({ pathname }: { pathname: string }): boolean =>
  linkPages.some(({ screen }) => screen.path === pathname)

/** Loads after the configuration, which says whether the installation is a hosted one. */
export const pages: readonly Page[] = [...(config().hosting ? hostedPages : []), ...linkPages]
