import {
  missingPasswordRequirements,
  type PasswordPolicy,
  passwordRequirementLabel,
} from '@patchbay/rules/identity/passwords'

/** Returns a function that names the requirements of the policy that a password does not meet. */
export const policyHint =
  (policy: PasswordPolicy) =>
  (password: string): string | undefined => {
    const demands = missingPasswordRequirements(password, policy).map((fault) =>
      passwordRequirementLabel(fault, policy).toLowerCase(),
    )
    return demands.length === 0 ? undefined : `Password must: ${demands.join(', ')}.`
  }
