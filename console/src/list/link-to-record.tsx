import { useRouter } from '@tanstack/react-router'
import type { ComponentProps, MouseEvent } from 'react'
import type { RecordLink } from '../routes/record-link.ts'
import { hasModifier } from '../ui/table/use-row-focus.ts'

/**
 * A link in a list to the screen of a record. Unlike the links of the router, it is not computed again when the URL
 * changes, which a keystroke in the filter of a list would do for thousands of links.
 */
export const LinkToRecord = <Row, Path extends string>({
  link: { to, toParams },
  row,
  children,
  ...rest
}: { link: RecordLink<Row, Path>; row: Row } & Omit<ComponentProps<'a'>, 'href'>) => {
  const router = useRouter()
  const target = { to: to.path, params: toParams(row) } as object
  const preload = () => void router.preloadRoute(target as never)
  const open = (event: MouseEvent) => {
    if (hasModifier(event)) return
    event.preventDefault()
    void router.navigate(target)
  }
  return (
    <a
      {...rest}
      href={router.buildLocation(target).href}
      onClick={open}
      onFocus={preload}
      onMouseEnter={preload}
      onTouchStart={preload}
    >
      {children}
    </a>
  )
}
