"""`python -m paraphrast`: the command, for launchers that take a module (`torchrun -m`)."""

from paraphrast.cli.main import main

if __name__ == "__main__":
    main()
