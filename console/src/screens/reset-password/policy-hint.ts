import {
  type PasswordPolicy,
  passwordRequirementLabel,
  missingPasswordRequirements,
} from '@patchbay/contract/identity/passwords'

/** What a policy has to say of a password while it is typed. */
export const policyHint =
  (policy: PasswordPolicy) =>
  (password: string): string | undefined => {
    const demands = missingPasswordRequirements(password, policy).map((fault) =>
      passwordRequirementLabel(fault, policy).toLowerCase(),
    )
    return demands.length === 0 ? undefined : `Password must: ${demands.join(', ')}.`
  }
