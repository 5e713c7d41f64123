import { Link } from '@tanstack/react-router'
import { canOpen } from '../routes/define-screen.ts'
import { overview } from '../routes/overview.ts'
import { startPath } from '../screen/links.tsx'
import { requiredSession } from '../session/session.ts'
import { Mark } from '../ui/logo.tsx'

/** The logo, which links to the overview, or to the start screen if the server has no overview. */
export const BrandLink = () => (
  <Link to={canOpen(overview, requiredSession().actor) ? overview.path : startPath}>
    <Mark />
    Patchbay
  </Link>
)
