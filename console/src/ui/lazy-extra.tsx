import { type ComponentType, lazy, Suspense } from 'react'

/**
 * Creates a part that loads after the page, which is complete without it. The part renders nothing until then, and if it
 * cannot be loaded.
 */
export const lazyExtra = <Props extends object>(load: () => Promise<ComponentType<Props>>) => {
  const Part = lazy(async () => ({ default: await load().catch((): ComponentType<Props> => () => null) }))
  return function Extra(props: Props) {
    return (
      <Suspense>
        <Part {...props} />
      </Suspense>
    )
  }
}
