import { useQuery } from '@tanstack/react-query'
import { FormLoading } from '../../form/form-loading.tsx'
import { isUsed, DependentLists } from '../../record/dependents-dialog.tsx'
import { FormSection } from '../../ui/form-frame.tsx'
import { EmptyState } from '../../ui/list-state.tsx'
import { carrierKinds } from './dependents.tsx'
import { carrierUsesQuery } from './used-by.ts'

/** Lists the records that refer to a carrier. */
export const UsedByTab = ({ voip_carrier_sid }: { voip_carrier_sid: string }) => {
  const lookUp = useQuery(carrierUsesQuery(voip_carrier_sid))
  if (lookUp.data === undefined) return <FormLoading queries={[lookUp]} sections={1} />
  const kinds = carrierKinds(lookUp.data)
  return isUsed(kinds) ? (
    <FormSection title="Used by" description="What leads to this carrier, which cannot be deleted while anything does.">
      <DependentLists kinds={kinds} />
    </FormSection>
  ) : (
    <EmptyState
      title="Nothing uses this carrier."
      hint="No phone number is bought from it, and no outbound routing leads to it."
    />
  )
}
