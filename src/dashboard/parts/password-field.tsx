interface PasswordFieldProps {
  readonly label: string;
  readonly value: { value: string };
  readonly autocomplete: "current-password" | "new-password";
}

export function PasswordField({ label, value, autocomplete }: PasswordFieldProps) {
  return (
    <label class="field-label">
      {label}
      <input
        required
        type="password"
        autocomplete={autocomplete}
        maxLength={200}
        value={value.value}
        onInput={(event) => (value.value = event.currentTarget.value)}
      />
    </label>
  );
}
