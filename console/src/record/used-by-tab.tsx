import { type QueryKey, type UseQueryOptions, useQuery } from '@tanstack/react-query'
import { FormLoading } from '../form/form-loading.tsx'
import type { ScreenTab } from '../screen/screen-tabs.tsx'
import { FormSection } from '../ui/fields/form-frame.tsx'
import { EmptyState, type EmptyStateProps } from '../ui/table/list-state.tsx'
import { type DependentKind, DependentLists, isUsed } from './dependents-dialog.tsx'

interface UsedByTabProps<Uses, Key extends QueryKey> {
  query: UseQueryOptions<Uses, Error, Uses, Key>
  toKinds: (uses: Uses) => readonly DependentKind[]
  description: string
  /** Shown if no other record refers to the record. */
  empty: Pick<EmptyStateProps, 'title' | 'hint'>
}

const UsedBy = <Uses, Key extends QueryKey>({ query, toKinds, description, empty }: UsedByTabProps<Uses, Key>) => {
  const lookUp = useQuery(query)
  if (lookUp.data === undefined) return <FormLoading queries={[lookUp]} />
  const kinds = toKinds(lookUp.data)
  if (!isUsed(kinds)) return <EmptyState {...empty} />
  return (
    <FormSection title="Used by" description={description}>
      <DependentLists kinds={kinds} />
    </FormSection>
  )
}

/** Returns the tab that lists the records that refer to a record. */
export const usedByTab = <Uses, Key extends QueryKey>(props: UsedByTabProps<Uses, Key>): ScreenTab => ({
  id: 'used-by',
  label: 'Used by',
  content: <UsedBy {...props} />,
})
