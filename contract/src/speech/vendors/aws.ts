import { isFilled, type Option, type Vendor } from '../descriptor.ts'

const regions: readonly Option[] = [
  { value: 'us-east-1', name: 'US East (N. Virginia)' },
  { value: 'us-east-2', name: 'US East (Ohio)' },
  { value: 'us-west-1', name: 'US West (N. California)' },
  { value: 'us-west-2', name: 'US West (Oregon)' },
  { value: 'af-south-1', name: 'Africa (Cape Town)' },
  { value: 'ap-east-1', name: 'Asia Pacific (Hong Kong)' },
  { value: 'ap-southeast-3', name: 'Asia Pacific (Jakarta)' },
  { value: 'ap-south-1', name: 'Asia Pacific (Mumbai)' },
  { value: 'ap-northeast-3', name: 'Asia Pacific (Osaka)' },
  { value: 'ap-northeast-2', name: 'Asia Pacific (Seoul)' },
  { value: 'ap-southeast-1', name: 'Asia Pacific (Singapore)' },
  { value: 'ap-southeast-2', name: 'Asia Pacific (Sydney)' },
  { value: 'ap-northeast-1', name: 'Asia Pacific (Tokyo)' },
  { value: 'ca-central-1', name: 'Canada (Central)' },
  { value: 'eu-central-1', name: 'Europe (Frankfurt)' },
  { value: 'eu-west-1', name: 'Europe (Ireland)' },
  { value: 'eu-west-2', name: 'Europe (London)' },
  { value: 'eu-south-1', name: 'Europe (Milan)' },
  { value: 'eu-west-3', name: 'Europe (Paris)' },
  { value: 'eu-north-1', name: 'Europe (Stockholm)' },
  { value: 'me-south-1', name: 'Middle East (Bahrain)' },
  { value: 'sa-east-1', name: 'South America (São Paulo)' },
]

/** Empty keys are not stored, because the authentication type is derived from the stored ones. */
const key = { required: true, locked: true, sparse: true } as const

export const aws: Vendor = {
  vendor: 'aws',
  tts: {},
  stt: { languages: ['en-US'] },
  parts: [
    {
      kind: 'question',
      name: 'credential_type',
      label: 'Credential type',
      answers: [
        { value: 'access_key', name: 'AWS access key' },
        { value: 'assume_role', name: 'AWS assume role' },
        { value: 'instance_profile', name: 'AWS instance profile' },
      ],
      answered: (stored) =>
        isFilled(stored['access_key_id'])
          ? 'access_key'
          : isFilled(stored['role_arn'])
            ? 'assume_role'
            : 'instance_profile',
      start: 'access_key',
      locked: true,
    },
    { ...key, kind: 'text', name: 'access_key_id', label: 'Access key ID', when: { credential_type: 'access_key' } },
    {
      ...key,
      kind: 'secret',
      name: 'secret_access_key',
      label: 'Secret access key',
      when: { credential_type: 'access_key' },
    },
    {
      ...key,
      kind: 'text',
      name: 'role_arn',
      label: 'Role ARN',
      placeholder: 'arn:aws:iam::123456789012:role/speech',
      when: { credential_type: 'assume_role' },
    },
    { kind: 'choice', name: 'aws_region', label: 'Region', options: regions, required: true },
  ],
}
