// A minimal program that reads an int16 NIfTI file with ITK: itk_read FILE.
#include <itkImage.h>
#include <itkImageFileReader.h>
#include <itkNiftiImageIO.h>

#include <cstdio>

int main(int argc, char** argv) {
    if (argc != 2) {
        return 2;
    }
    try {
        const auto reader = itk::ImageFileReader<itk::Image<short, 3>>::New();
        reader->SetImageIO(itk::NiftiImageIO::New());
        reader->SetFileName(argv[1]);
        reader->Update();
        const auto* image = reader->GetOutput();
        std::printf("%d\n", image->GetBufferPointer()[image->GetPixelContainer()->Size() / 2]);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 1;
    }
}
