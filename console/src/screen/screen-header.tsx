import { listBackLink } from '../list/list-navigation-state.ts'
import { canOpen, type Screen } from '../routes/define-screen.ts'
import { requiredSession } from '../session/session.ts'
import { PageHeader, type PageHeaderProps } from '../ui/page-header.tsx'
import { ScreenLink } from './links.tsx'
import { usePageTitle } from './page-title.ts'

interface ScreenHeadProps extends Omit<PageHeaderProps, 'title' | 'breadcrumb'> {
  screen: Screen
  /** The name of the record. Defaults to the title of the screen. */
  title?: string
}

/** The header of a screen: the title, which is also the title of the document, and a link to the parent screen. */
export const ScreenHeader = ({ screen, title = screen.title, ...rest }: ScreenHeadProps) => {
  usePageTitle(rest.prefix ? `${rest.prefix}: ${title}` : title)
  const { parent } = screen
  const crumb = parent && canOpen(parent, requiredSession().actor) && (
    <ScreenLink {...listBackLink(parent)}>{parent.title}</ScreenLink>
  )
  return <PageHeader title={title} {...(crumb ? { breadcrumb: crumb } : {})} {...rest} />
}
