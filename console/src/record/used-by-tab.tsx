import { type QueryKey, useQuery, type UseQueryOptions } from '@tanstack/react-query'
import { FormLoading } from '../form/form-loading.tsx'
import { FormSection } from '../ui/form-frame.tsx'
import { EmptyState, type EmptyStateProps } from '../ui/list-state.tsx'
import { type DependentKind, DependentLists, isUsed } from './dependents-dialog.tsx'

interface UsedByTabProps<Uses, Key extends QueryKey> {
  query: UseQueryOptions<Uses, Error, Uses, Key>
  toKinds: (uses: Uses) => readonly DependentKind[]
  description: string
  /** Shown if no other record refers to the record. */
  empty: Pick<EmptyStateProps, 'title' | 'hint'>
}

/** Tab that lists the records that refer to a record. */
export const UsedByTab = <Uses, Key extends QueryKey>({
  query,
  toKinds,
  description,
  empty,
}: UsedByTabProps<Uses, Key>) => {
  const lookUp = useQuery(query)
  if (lookUp.data === undefined) return <FormLoading queries={[lookUp]} sections={1} />
  const kinds = toKinds(lookUp.data)
  if (!isUsed(kinds)) return <EmptyState {...empty} />
  return (
    <FormSection title="Used by" description={description}>
      <DependentLists kinds={kinds} />
    </FormSection>
  )
}
