import { useQuery } from '@tanstack/react-query'
import { failureText, requestIdOf } from '../../api/failure.ts'
import { accountContentsQuery } from '../../api/queries.ts'
import { DefinitionList } from '../../ui/definition-list.tsx'
import { EmptyState, LoadFailed } from '../../ui/list-state.tsx'
import { FormSkeleton } from '../../ui/form-skeleton.tsx'
import { contentsEntries } from './contents.ts'

/** What an account holds, counted. */
export const ContentsTab = ({ account_sid }: { account_sid: string }) => {
  const contents = useQuery(accountContentsQuery(account_sid))
  if (contents.data === undefined)
    return contents.isError ? (
      <LoadFailed
        message={failureText(contents.error)}
        requestId={requestIdOf(contents.error)}
        onRetry={() => void contents.refetch()}
      />
    ) : (
      <FormSkeleton sections={1} />
    )
  const counts = contentsEntries(contents.data)
  return counts.length === 0 ? (
    <EmptyState
      title="This account holds nothing yet."
      hint="Its users, applications and numbers will be counted here."
    />
  ) : (
    <DefinitionList entries={counts} />
  )
}
