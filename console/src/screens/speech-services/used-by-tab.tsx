import { useQuery } from '@tanstack/react-query'
import { FormLoading } from '../../form/form-loading.tsx'
import { isUsed, DependentLists } from '../../record/dependents-dialog.tsx'
import { FormSection } from '../../ui/form-frame.tsx'
import { EmptyState } from '../../ui/list-state.tsx'
import { toDependentKinds, speechUsesQuery } from './dependents.tsx'

/** Lists the applications that use a service. */
export const UsedByTab = ({ sid }: { sid: string }) => {
  const lookUp = useQuery(speechUsesQuery(sid))
  if (lookUp.data === undefined) return <FormLoading queries={[lookUp]} sections={1} />
  const kinds = toDependentKinds(lookUp.data)
  return isUsed(kinds) ? (
    <FormSection title="Used by" description="Applications that name the vendor and the label of this service.">
      <DependentLists kinds={kinds} />
    </FormSection>
  ) : (
    <EmptyState
      title="No application uses this service."
      hint="An application uses it when it names its vendor and label."
    />
  )
}
