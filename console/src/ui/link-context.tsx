import { type ComponentType, createContext, type ReactNode, useContext } from 'react'

export interface KitLinkProps {
  to: string
  className?: string | undefined
  children: ReactNode
  'aria-current'?: 'page' | undefined
}

const PlainLink = ({ to, children, ...rest }: KitLinkProps) => (
  <a href={to} {...rest}>
    {children}
  </a>
)

const LinkContext = createContext<ComponentType<KitLinkProps>>(PlainLink)

export interface LinkProviderProps {
  /** The router's link, taking a path. */
  link: ComponentType<KitLinkProps>
  children: ReactNode
}

/** Gives the kit the router's link, so that it needs to know no router. */
export const LinkProvider = ({ link, children }: LinkProviderProps) => (
  <LinkContext value={link}>{children}</LinkContext>
)

/** A link inside the app: the router's where one was given, otherwise a plain `<a>`. */
export const KitLink = (props: KitLinkProps) => {
  const Link = useContext(LinkContext)
  // oxlint-disable-next-line react/static-components -- the app gives one component once, as a module has it
  return <Link {...props} />
}
