import { queryClient } from '../api/query-client.ts'
import { meQuery, providersQuery } from '../api/shared-queries.ts'
import { forgetTaggedResponses } from '../api/tagged-responses.ts'
import { prefetchWithin } from '../lazy/prefetch.ts'
import { clearListState } from '../list/list-navigation-state.ts'

/** The font of identifiers and numbers, which only the screens behind the sign-in have. */
const loadMono = () => prefetchWithin(() => document.fonts.load('1em "JetBrains Mono Variable"'))

/** Loads what the frame needs before it renders. */
export const loadInternal = async (): Promise<null> => {
  const read = [queryClient.ensureQueryData(meQuery), queryClient.ensureQueryData(providersQuery)]
  await Promise.all([...read, loadMono()])
  return null
}

export const forgetData = (): void => {
  queryClient.clear()
  forgetTaggedResponses()
  clearListState()
}
