import { Link } from '@tanstack/react-router'
import { canOpen } from '../routes/define-screen.ts'
import { overview } from '../routes/overview.ts'
import { startPath } from '../screen/links.tsx'
import { requiredSession } from '../session/session.ts'
import { Mark } from '../ui/logo.tsx'
import styles from './brand-link.module.css'

/** The logo, which links to the overview, or to the start screen if the server has no overview. */
export const BrandLink = () => (
  <Link
    to={canOpen(overview, requiredSession().actor) ? overview.path : startPath}
    className={styles['brand']}
    aria-label="Patchbay"
  >
    <Mark />
    <span>Patchbay</span>
  </Link>
)
